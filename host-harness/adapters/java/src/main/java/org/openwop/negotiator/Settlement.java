package org.openwop.negotiator;

/**
 * Decision, record and reply of one exchange.
 *
 * @param decision what was decided
 * @param entry its record: make it durable before anything else happens; when that fails, answer
 *     with {@link Negotiator#notDurable} instead
 * @param reply what to send back
 */
public record Settlement(Decision decision, Entry entry, Reply reply) {}
