package org.openwop.negotiator;

import java.util.ArrayList;
import java.util.List;

/**
 * What this host saw of a message that reached it. Each method gives a changed copy: {@code
 * Inbound.of(Protocol.A2A).header("A2A-Version", "0.3").method("SendMessage")}.
 *
 * @param protocol of the surface that was called
 * @param authenticated whether the caller's identity was proven
 * @param httpMethod {@code GET}, {@code POST} or {@code DELETE}; null means {@code POST}, also for
 *     transports that are not HTTP
 * @param headers as received, repeats kept; only the two version headers are read
 * @param query raw query string without {@code ?}, or null; A2A reads {@code A2A-Version} from it
 * @param method of the JSON-RPC message, or null
 * @param params JSON text of the JSON-RPC params, or null; only {@code protocolVersion} and the
 *     version in {@code _meta} are read, so that a host need not hand over the rest
 * @param session the version that this MCP session agreed on earlier, or null
 */
public record Inbound(
    Protocol protocol,
    boolean authenticated,
    String httpMethod,
    List<Header> headers,
    String query,
    String method,
    String params,
    String session)
    implements Exchange {
  /** Copies the list. */
  public Inbound {
    headers = List.copyOf(headers);
  }

  /** A message of a caller that proved nothing, with nothing in it. */
  public static Inbound of(Protocol protocol) {
    return new Inbound(protocol, false, null, List.of(), null, null, null, null);
  }

  /** Whether the caller's identity was proven. */
  public Inbound authenticated(boolean proven) {
    return new Inbound(
        protocol, proven, httpMethod, headers, query, method, params, session);
  }

  /** The HTTP method. */
  public Inbound httpMethod(String value) {
    return new Inbound(protocol, authenticated, value, headers, query, method, params, session);
  }

  /** One header more. */
  public Inbound header(String name, String value) {
    var all = new ArrayList<>(headers);
    all.add(new Header(name, value));
    return new Inbound(protocol, authenticated, httpMethod, all, query, method, params, session);
  }

  /** The query string. */
  public Inbound query(String value) {
    return new Inbound(
        protocol, authenticated, httpMethod, headers, value, method, params, session);
  }

  /** The JSON-RPC method. */
  public Inbound method(String value) {
    return new Inbound(
        protocol, authenticated, httpMethod, headers, query, value, params, session);
  }

  /** JSON text of the JSON-RPC params. */
  public Inbound params(String json) {
    return new Inbound(protocol, authenticated, httpMethod, headers, query, method, json, session);
  }

  /** The session's version. */
  public Inbound session(String version) {
    return new Inbound(
        protocol, authenticated, httpMethod, headers, query, method, params, version);
  }
}
