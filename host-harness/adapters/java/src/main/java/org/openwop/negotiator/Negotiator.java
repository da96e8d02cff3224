package org.openwop.negotiator;

/**
 * Decides under the facets that it was configured with. Any number of threads may use it.
 *
 * <pre>{@code
 * var host = Component.load(Path.of("negotiator.core.wasm")).configure(facets);
 * var settled = host.settle(exchange, Context.at(Instant.now()));
 * // then: make settled.entry() durable first, act on settled.decision() second
 * }</pre>
 */
public final class Negotiator {
  private final Pool pool;

  Negotiator(Pool pool) {
    this.pool = pool;
  }

  /**
   * Decides, records and answers.
   *
   * @throws RequestException an exchange or a context that cannot be read. Nothing that a peer
   *     writes in a header is one; JSON of a peer may be, and is then to be answered as unreadable
   */
  public Settlement settle(Exchange exchange, Context context) {
    return ask("settle", request(exchange, context));
  }

  /** Refuses without asking the policy, with the record that belongs to it. */
  public Settlement refuse(Exchange exchange, Context context, HostRefusal why) {
    return ask("refuse", request(exchange, context).string("refusal", why.word));
  }

  /**
   * The reply when a record could not be made durable: 503, retriable, and nothing is served (R15).
   */
  public Reply notDurable(Exchange exchange, Context context) {
    var request = request(exchange, context).string("refusal", "record-not-durable");
    return ask("refuse", request).reply();
  }

  /** A decision and the reply to it, without a record. */
  public record Decided(Decision decision, Reply reply) {}

  /** Decides only: no record, so nothing may be served on it. */
  public Decided decide(Exchange exchange) {
    var settled = ask("decide", request(exchange, null));
    return new Decided(settled.decision(), settled.reply());
  }

  /** Builds the record of a decision that {@link #decide} made. */
  public Entry record(Exchange exchange, Decision decision, Context context) {
    var text =
        new Json.Writer()
            .string("outcome", decision.accepted() ? "accepted" : "refused")
            .string("version", decision.version())
            .string("reason", decision.reason())
            .string("cause", decision.cause())
            .string("requested", decision.requested())
            .raw("downgraded", Boolean.toString(decision.downgraded()))
            .text();
    return ask("record", request(exchange, context).raw("decision", text)).entry();
  }

  private Settlement ask(String operation, Json.Writer request) {
    var text = request.text();
    return Answers.settlement(Answers.ok(pool.with(abi -> abi.ask(operation, text))));
  }

  private static Json.Writer request(Exchange exchange, Context context) {
    var request = new Json.Writer().raw("exchange", text(exchange));
    return context == null ? request : request.raw("context", text(context));
  }

  private static String text(Exchange exchange) {
    var path = "exchange";
    var facts = new Json.Writer();
    if (exchange instanceof Inbound x) {
      var headers = x.headers().stream().map(h -> new String[] {h.name(), h.value()}).toList();
      facts
          .string("direction", "inbound")
          .string("protocol", x.protocol().word())
          .raw("authenticated", Boolean.toString(x.authenticated()))
          .string("httpMethod", x.httpMethod())
          .raw("headers", Json.text(headers))
          .string("query", x.query())
          .string("method", x.method())
          .foreign(path, "params", x.params())
          .string("session", x.session());
    } else if (exchange instanceof Outbound x) {
      facts
          .string("direction", "outbound")
          .string("protocol", x.protocol().word())
          .raw("authenticated", Boolean.toString(x.authenticated()))
          .string("requested", x.requested())
          .foreign(path, "card", x.card())
          .foreign(path, "discover", x.discover())
          .foreign(path, "error", x.error())
          .raw("offers", x.offers() == null ? null : Json.text(x.offers()))
          .foreign(path, "initialize", x.initialize());
    }
    return facts.text();
  }

  private static String text(Context context) {
    var subject = context.subject() == null ? new Subject(null, null) : context.subject();
    return new Json.Writer()
        .string("at", context.at().toString())
        .string("peerUrl", context.peerUrl())
        .string("tenant", subject.tenant())
        .string("workspace", subject.workspace())
        .string("runId", context.runId())
        .raw("sequence", context.sequence() == null ? null : context.sequence().toString())
        .string("eventId", context.eventId())
        .text();
  }
}
