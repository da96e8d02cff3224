package org.openwop.negotiator;

/** What was seen of one exchange. */
public sealed interface Exchange permits Inbound, Outbound {}
