package org.openwop.negotiator;

import java.util.List;

/**
 * What to send back.
 *
 * @param status of HTTP: 200, 400, 401 or 503
 * @param headers to set; outbound, accepted: on every call that follows
 * @param error JSON text of the JSON-RPC error object of an inbound refusal, else null
 * @param envelope JSON text of the OpenWOP error envelope of a refusal, else null
 */
public record Reply(int status, List<Header> headers, String error, String envelope) {}
