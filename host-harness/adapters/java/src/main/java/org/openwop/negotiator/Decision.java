package org.openwop.negotiator;

/**
 * The decision on one exchange.
 *
 * @param accepted whether a version was agreed
 * @param version the only version that may be used on the wire; null when refused
 * @param reason {@code ok}, {@code below-floor}, {@code unsupported} or {@code unauthenticated}
 * @param cause finer than the reason and never on record: for people and metrics
 * @param requested the version on record as requested, or null
 * @param downgraded accepted below the version that was named
 */
public record Decision(
    boolean accepted,
    String version,
    String reason,
    String cause,
    String requested,
    boolean downgraded) {}
