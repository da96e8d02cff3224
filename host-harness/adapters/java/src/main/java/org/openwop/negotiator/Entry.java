package org.openwop.negotiator;

/**
 * A record, ready to be made durable. The texts are exact: store them as they are.
 *
 * @param home {@code run} (in the log of a run) or {@code host} (a durable host event)
 * @param audience who may read it; null: nobody may
 * @param payload JSON text of the payload of {@code negotiation.decided}
 * @param event JSON text of the closed envelope; null without an event id
 */
public record Entry(String home, Subject audience, String payload, String event) {}
