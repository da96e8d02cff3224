package org.openwop.negotiator;

import java.util.List;

/**
 * What this host knows before it calls a peer. At most one of card, discover, error and offers;
 * initialize may stand beside discover or offers. None: the peer offered nothing. Each method gives
 * a changed copy.
 *
 * @param protocol to be spoken
 * @param authenticated whether this host acts under its own proven identity
 * @param requested version to ask for; null means the preferred one
 * @param card JSON text of the peer's agent card (A2A), 1.0 or 0.3 shape, or null
 * @param discover JSON text of the result of {@code server/discover} (MCP), or null
 * @param error JSON text of the peer's JSON-RPC error object, or null
 * @param offers versions that the host has already, or null
 * @param initialize JSON text of the result of {@code initialize} (MCP), or null
 */
public record Outbound(
    Protocol protocol,
    boolean authenticated,
    String requested,
    String card,
    String discover,
    String error,
    List<String> offers,
    String initialize)
    implements Exchange {
  /** Copies the list. */
  public Outbound {
    offers = offers == null ? null : List.copyOf(offers);
  }

  /** A call under no identity to a peer that offered nothing. */
  public static Outbound of(Protocol protocol) {
    return new Outbound(protocol, false, null, null, null, null, null, null);
  }

  /** Whether this host acts under its own proven identity. */
  public Outbound authenticated(boolean proven) {
    return new Outbound(
        protocol, proven, requested, card, discover, error, offers, initialize);
  }

  /** The version to ask for. */
  public Outbound requested(String version) {
    return new Outbound(
        protocol, authenticated, version, card, discover, error, offers, initialize);
  }

  /** JSON text of the peer's agent card. */
  public Outbound card(String json) {
    return new Outbound(
        protocol, authenticated, requested, json, discover, error, offers, initialize);
  }

  /** JSON text of the result of {@code server/discover}. */
  public Outbound discover(String json) {
    return new Outbound(
        protocol, authenticated, requested, card, json, error, offers, initialize);
  }

  /** JSON text of the peer's JSON-RPC error object. */
  public Outbound error(String json) {
    return new Outbound(
        protocol, authenticated, requested, card, discover, json, offers, initialize);
  }

  /** Versions that the host has already. */
  public Outbound offers(List<String> versions) {
    return new Outbound(
        protocol, authenticated, requested, card, discover, error, versions, initialize);
  }

  /** JSON text of the result of {@code initialize}. */
  public Outbound initialize(String json) {
    return new Outbound(
        protocol, authenticated, requested, card, discover, error, offers, json);
  }
}
