package org.openwop.negotiator;

/**
 * One thing wrong with a facet or with a policy's settings.
 *
 * @param path in the terms of a discovery document, such as {@code a2a.minimumVersion}
 * @param problem one of the closed words of the WIT interface, such as {@code above-preferred}
 */
public record Fault(String path, String problem) {}
