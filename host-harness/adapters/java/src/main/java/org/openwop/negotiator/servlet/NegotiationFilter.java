package org.openwop.negotiator.servlet;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.openwop.negotiator.Context;
import org.openwop.negotiator.HostRefusal;
import org.openwop.negotiator.Inbound;
import org.openwop.negotiator.Negotiator;
import org.openwop.negotiator.NegotiatorException;
import org.openwop.negotiator.Protocol;
import org.openwop.negotiator.RequestException;
import org.openwop.negotiator.Settlement;
import org.openwop.negotiator.Subject;

/**
 * Puts a negotiator in front of a servlet that speaks MCP or A2A, such as that of the official Java
 * MCP SDK: nothing below the floor reaches it, nothing reaches it without a durable record, and a
 * downgrade is visible.
 *
 * <p>For every request: read what was named, settle, record, and only then call the servlet. What
 * is refused is answered here. If the record cannot be written the answer is 503 (R15). A message
 * that cannot be read as JSON-RPC is answered with 400 and code -32700 before any negotiation.
 *
 * <p>The servlet sees the version decided and no other: the version header says so, and where an
 * {@code initialize} request is accepted at another revision than it named (a counter-offer), the
 * message names the one decided. Offer only revisions that the servlet speaks: a session is held to
 * the revision decided here, whatever the servlet answered. The settlement is the request attribute
 * {@link #SETTLEMENT}.
 *
 * <p>Register it with asynchronous support where the servlet answers asynchronously.
 */
public final class NegotiationFilter extends HttpFilter {
  private static final long serialVersionUID = 1L;

  /** The request attribute that holds the {@link Settlement}. */
  public static final String SETTLEMENT = Settlement.class.getName();

  private static final String SESSION = "Mcp-Session-Id";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final transient Builder options;
  private final transient Sessions sessions;
  private final String header;

  private NegotiationFilter(Builder options) {
    this.options = options;
    this.sessions = new Sessions(options.sessions);
    this.header = options.protocol == Protocol.A2A ? "A2A-Version" : "MCP-Protocol-Version";
  }

  /** A filter for this protocol, under this negotiator's facets, with records going to the sink. */
  public static Builder builder(Protocol protocol, Negotiator host, RecordSink sink) {
    return new Builder(protocol, host, sink);
  }

  /** What a filter is made of. */
  public static final class Builder {
    private final Protocol protocol;
    private final Negotiator host;
    private final RecordSink sink;
    private Function<HttpServletRequest, Optional<Subject>> identify = request -> Optional.empty();
    private BiConsumer<HttpServletRequest, Settlement> settled = (request, settlement) -> {};
    private boolean credentialRequired;
    private int maxBody = 4 << 20;
    private int sessions = 1 << 16;
    private Clock clock = Clock.systemUTC();

    private Builder(Protocol protocol, Negotiator host, RecordSink sink) {
      this.protocol = java.util.Objects.requireNonNull(protocol);
      this.host = java.util.Objects.requireNonNull(host);
      this.sink = java.util.Objects.requireNonNull(sink);
    }

    /**
     * Tells who the caller is, from the credential alone; empty for a caller that proved nothing.
     * Without it nobody is authenticated.
     */
    public Builder identify(Function<HttpServletRequest, Optional<Subject>> value) {
      identify = value;
      return this;
    }

    /**
     * Is told of every settlement whose record is durable, before the request is served: for logs
     * and metrics.
     */
    public Builder settled(BiConsumer<HttpServletRequest, Settlement> value) {
      settled = value;
      return this;
    }

    /** Refuses callers without a credential, at any version (R14). */
    public Builder credentialRequired(boolean value) {
      credentialRequired = value;
      return this;
    }

    /** The most bytes of a request's body, 4 MiB if not set; a larger one is answered with 413. */
    public Builder maxBody(int bytes) {
      maxBody = bytes;
      return this;
    }

    /** The most MCP sessions that are remembered, 65,536 if not set. */
    public Builder sessions(int most) {
      sessions = most;
      return this;
    }

    /** The clock. */
    public Builder clock(Clock value) {
      clock = value;
      return this;
    }

    /** The filter. */
    public NegotiationFilter build() {
      return new NegotiationFilter(this);
    }
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean post = "POST".equals(request.getMethod());
    if (!post && !"GET".equals(request.getMethod()) && !"DELETE".equals(request.getMethod())) {
      // Nothing that names a version: the negotiation has no part in it.
      response.setHeader("Allow", "GET, POST, DELETE");
      response.setStatus(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
      return;
    }
    byte[] body = request.getInputStream().readNBytes(options.maxBody + 1);
    if (body.length > options.maxBody) {
      unreadable(response, HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE, "is too large");
      return;
    }
    Message message;
    try {
      message = post ? Message.read(body) : Message.NONE;
    } catch (IOException e) {
      unreadable(response, HttpServletResponse.SC_BAD_REQUEST, "cannot be read");
      return;
    }
    negotiate(request, response, chain, body, message);
  }

  private void negotiate(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      byte[] body,
      Message message)
      throws IOException, ServletException {
    var subject = options.identify.apply(request);
    var exchange = exchange(request, message, subject.isPresent());
    var context =
        Context.at(options.clock.instant()).subject(subject.orElse(null)).eventId(newEventId());
    Settlement settlement;
    try {
      settlement =
          options.credentialRequired && subject.isEmpty()
              ? options.host.refuse(exchange, context, HostRefusal.CREDENTIAL_REQUIRED)
              : options.host.settle(exchange, context);
      options.sink.record(settlement.entry());
    } catch (RequestException e) {
      unreadable(response, HttpServletResponse.SC_BAD_REQUEST, "cannot be read");
      return;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      // No decision, or no record of it: nothing is served (R15).
      notDurable(request, response, message, exchange, context);
      return;
    }
    options.settled.accept(request, settlement);
    var reply = settlement.reply();
    reply.headers().forEach(set -> response.setHeader(set.name(), set.value()));
    if (settlement.decision().accepted()) {
      forward(request, response, chain, body, message, settlement);
    } else {
      refuse(request, response, message, reply.status(), reply.error(), reply.envelope());
    }
  }

  private Inbound exchange(HttpServletRequest request, Message message, boolean authenticated) {
    var exchange =
        Inbound.of(options.protocol)
            .authenticated(authenticated)
            .httpMethod(request.getMethod())
            .method(message.method());
    for (String value : Collections.list(request.getHeaders(header))) {
      exchange = exchange.header(header, value);
    }
    return options.protocol == Protocol.A2A
        ? exchange.query(request.getQueryString())
        : exchange
            .params(message.named())
            .session(sessions.version(request.getHeader(SESSION)));
  }

  /** Calls the servlet with the version decided. */
  private void forward(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      byte[] body,
      Message message,
      Settlement settlement)
      throws IOException, ServletException {
    var version = settlement.decision().version();
    boolean mcp = options.protocol == Protocol.MCP;
    boolean initialize = mcp && "initialize".equals(message.method());
    // An initialize request may do without the header, and older servlets want it so.
    boolean named = !initialize || request.getHeader(header) != null;
    var decided =
        new DecidedRequest(
            request,
            initialize ? message.naming(body, version) : body,
            header,
            named ? version : null);
    decided.setAttribute(SETTLEMENT, settlement);
    chain.doFilter(
        decided,
        initialize
            ? new SessionResponse(response, SESSION, id -> sessions.begin(id, version))
            : response);
    if (mcp && "DELETE".equals(request.getMethod()) && response.getStatus() < 300) {
      sessions.end(request.getHeader(SESSION));
    }
  }

  private void notDurable(
      HttpServletRequest request,
      HttpServletResponse response,
      Message message,
      Inbound exchange,
      Context context)
      throws IOException {
    try {
      var reply = options.host.notDurable(exchange, context);
      reply.headers().forEach(set -> response.setHeader(set.name(), set.value()));
      refuse(request, response, message, reply.status(), reply.error(), reply.envelope());
    } catch (NegotiatorException e) {
      response.setHeader("Retry-After", "1");
      response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
    }
  }

  /** Answers in the caller's terms: JSON-RPC, or the envelope where there is no message. */
  private void refuse(
      HttpServletRequest request,
      HttpServletResponse response,
      Message message,
      int status,
      String error,
      String envelope)
      throws IOException {
    boolean rpc = options.protocol == Protocol.MCP || "POST".equals(request.getMethod());
    write(response, status, error != null && rpc ? rpcError(message.id(), error) : envelope);
  }

  private static void unreadable(HttpServletResponse response, int status, String what)
      throws IOException {
    var error = "{\"code\":-32700,\"message\":\"The message " + what + "\"}";
    write(response, status, rpcError(null, error));
  }

  private static String rpcError(String id, String error) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":" + error + "}";
  }

  private static void write(HttpServletResponse response, int status, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }

  /** An id that is unique for the host: 96 random bits. */
  private static String newEventId() {
    byte[] bits = new byte[12];
    RANDOM.nextBytes(bits);
    return "hev-" + HexFormat.of().formatHex(bits);
  }
}
