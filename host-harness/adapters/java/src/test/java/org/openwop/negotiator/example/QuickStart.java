package org.openwop.negotiator.example;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.openwop.negotiator.Component;
import org.openwop.negotiator.Context;
import org.openwop.negotiator.Facet;
import org.openwop.negotiator.Facets;
import org.openwop.negotiator.Inbound;
import org.openwop.negotiator.Protocol;

/** The quick start of the README. */
public final class QuickStart {
  private QuickStart() {}

  public static void main(String[] arguments) throws Exception {
    var component = Component.load(Path.of("../../../dist/negotiator.core.wasm"));
    var facets = Facets.a2a(new Facet(List.of("0.3", "1.0"), "1.0", "0.3"));
    var host = component.configure(facets);
    var exchange = Inbound.of(Protocol.A2A).header("A2A-Version", "0.3");
    var settled = host.settle(exchange, Context.at(Instant.parse("2026-11-30T12:00:00Z")));
    System.out.println(settled.decision().reason() + " " + settled.reply().status());
    System.out.println(settled.entry().payload());
  }
}
