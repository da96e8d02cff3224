package org.openwop.negotiator;

/**
 * One thing wrong with a discovery document.
 *
 * @param rule the rule, such as {@code 0242.inbound.listed}
 * @param path the member
 * @param problem in words
 */
public record Finding(String rule, String path, String problem) {}
