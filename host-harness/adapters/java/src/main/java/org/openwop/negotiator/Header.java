package org.openwop.negotiator;

/**
 * A header as received: name in any case, value untrimmed.
 *
 * @param name its name
 * @param value its value
 */
public record Header(String name, String value) {}
