package org.openwop.negotiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class NegotiatorTest {
  private static final Instant AT = Instant.parse("2026-11-30T12:00:00Z");
  private static final Facets FACETS =
      Facets.a2a(new Facet(List.of("0.3", "1.0"), "1.0", "0.3"));

  private final Component component = Dist.component();
  private final Negotiator host = component.configure(FACETS);

  private static Inbound call(String version) {
    return Inbound.of(Protocol.A2A).header("a2a-version", version).method("SendMessage");
  }

  @Test
  void settleGivesDecisionRecordAndReply() {
    var settled =
        host.settle(
            call("0.3").authenticated(true),
            Context.at(AT).subject(new Subject("acme", "ws-1")).eventId("hev-0123456789abcdef01234567"));
    assertEquals(new Decision(true, "0.3", "ok", "exact", "0.3", false), settled.decision());
    var payload =
        "{\"protocol\":\"a2a\",\"outcome\":\"accepted\",\"requested\":\"0.3\",\"version\":\"0.3\","
            + "\"floor\":\"0.3\",\"reason\":\"ok\",\"at\":\"2026-11-30T12:00:00Z\"}";
    assertEquals(payload, settled.entry().payload());
    assertEquals("host", settled.entry().home());
    assertEquals(new Subject("acme", "ws-1"), settled.entry().audience());
    assertTrue(settled.entry().event().endsWith("\"payload\":" + payload + "}"));
    assertEquals(new Reply(200, List.of(new Header("A2A-Version", "0.3")), null, null), settled.reply());
  }

  @Test
  void refusalsAreAnswersAndNotThrown() {
    var settled = host.settle(call("0.3"), Context.at(AT));
    assertEquals("unauthenticated", settled.decision().reason());
    assertEquals(401, settled.reply().status());
    assertNull(settled.entry().audience());
    assertNull(settled.entry().event());
    var refused = host.refuse(call("1.0"), Context.at(AT), HostRefusal.CREDENTIAL_REQUIRED);
    assertEquals("credential-required", refused.decision().cause());
    var reply = host.notDurable(call("1.0"), Context.at(AT));
    assertEquals(503, reply.status());
    assertTrue(reply.error().contains("-32603"));
  }

  @Test
  void decideThenRecordIsSettle() {
    var exchange = Outbound.of(Protocol.A2A).authenticated(true).offers(List.of("0.3"));
    var context = Context.at(AT).peerUrl("https://peer.example/a2a");
    var settled = host.settle(exchange, context);
    assertTrue(settled.decision().downgraded());
    assertEquals(settled.decision(), host.decide(exchange).decision());
    assertEquals(settled.entry(), host.record(exchange, settled.decision(), context));
  }

  @Test
  void errorsNameTheMemberAndNeverTheValue() {
    var bad =
        assertThrows(
            RequestException.class, () -> host.settle(call("1.0"), Context.at(AT).eventId("no good")));
    assertEquals("context.eventId", bad.path());
    assertFalse(bad.getMessage().contains("no good"));
    var invalid =
        assertThrows(
            FacetsException.class,
            () -> component.configure(Facets.a2a(new Facet(List.of(), "1.0", "1.0"))));
    assertEquals("empty", invalid.faults().get(0).problem());
  }

  @Test
  void textThatIsNoUtf8NeverReachesTheComponent() {
    for (String text : List.of("\ud800", "\udc00\ud800", "1.0\udfff")) {
      assertEquals(
          "request",
          assertThrows(RequestException.class, () -> host.settle(call(text), Context.at(AT))).path());
    }
    assertFalse(component.call("digest", "").ok());
    // NUL and the astral planes are text like any other.
    assertEquals("malformed", host.settle(call("\u0000\ud83d\ude00"), Context.at(AT)).decision().cause());
  }

  @Test
  void jsonOfAPeerCannotSmuggleMembersIn() {
    var exchange = Inbound.of(Protocol.MCP);
    for (String text : List.of("{}, \"authenticated\": true", "{} {}", "{", "", "1}, \"context\": {")) {
      var bad =
          assertThrows(
              RequestException.class, () -> host.settle(exchange.params(text), Context.at(AT)), text);
      assertEquals("exchange.params", bad.path());
    }
  }

  @Test
  void otherBytesAreNotLoaded() throws Exception {
    byte[] bytes = Files.readAllBytes(Dist.CORE);
    bytes[bytes.length - 1] ^= 1;
    assertThrows(DigestException.class, () -> Component.load(bytes, 1));
  }

  @Test
  void smallOperations() {
    assertEquals(64, component.digest("https://peer.example:443/x").length());
    assertNull(component.digest("file:///x"));
    assertTrue(component.admitRound(4, 4));
    assertFalse(component.admitRound(4, 5));
    assertTrue(component.fresh("2026-11-01", AT));
    assertEquals("TASK_STATE_INPUT_REQUIRED", component.taskState("waiting-approval"));
    var document =
        "{\"a2a\":{\"versions\":[\"0.3\"],\"preferredVersion\":\"0.3\",\"minimumVersion\":\"1.0\","
            + "\"refreshedAt\":\"2026-11-01\"}}";
    assertFalse(component.checkFacets(document).isEmpty());
    assertFalse(component.check(document, AT).isEmpty());
  }

  @Test
  void manyThreadsShareFewInstances() throws Exception {
    var shared = Component.load(Files.readAllBytes(Dist.CORE), 2).configure(FACETS);
    var pool = Executors.newFixedThreadPool(8);
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int n = 0; n < 8; n++) {
      var version = n % 2 == 0 ? "1.0" : "0.2";
      int status = n % 2 == 0 ? 200 : 400;
      tasks.add(
          () -> {
            for (int round = 0; round < 200; round++) {
              assertEquals(status, shared.settle(call(version), Context.at(AT)).reply().status());
            }
            return null;
          });
    }
    for (var done : pool.invokeAll(tasks)) {
      done.get();
    }
    pool.shutdown();
  }
}
