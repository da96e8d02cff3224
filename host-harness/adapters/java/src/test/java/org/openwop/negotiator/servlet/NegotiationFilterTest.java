package org.openwop.negotiator.servlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openwop.negotiator.Dist;
import org.openwop.negotiator.Entry;
import org.openwop.negotiator.Facet;
import org.openwop.negotiator.Facets;
import org.openwop.negotiator.example.ProtectedMcpServer;

/** The filter in front of the server of the official SDK, called by its client and by hand. */
class NegotiationFilterTest {
  private static final String INITIALIZE =
      "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0000é\",\"method\":\"initialize\",\"params\":{"
          + "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
          + "\"clientInfo\":{\"name\":\"raw\",\"version\":\"1\"}}}";

  private final List<Entry> entries = Collections.synchronizedList(new ArrayList<>());
  private final List<McpSyncClient> clients = new ArrayList<>();
  private boolean sinkBroken;
  private Server server;

  private void record(Entry entry) throws IOException {
    if (sinkBroken) {
      throw new IOException("disk full");
    }
    entries.add(entry);
  }

  private void start(Facets facets) throws Exception {
    server = ProtectedMcpServer.start(Dist.component(), facets, this::record, 0);
  }

  @AfterEach
  void stop() throws Exception {
    clients.forEach(McpSyncClient::close);
    server.stop();
  }

  private McpSyncClient client(String secret, String... versions) {
    var transport =
        HttpClientStreamableHttpTransport.builder(server.getURI().toString()).endpoint("/mcp");
    if (secret != null) {
      transport.requestBuilder(
          HttpRequest.newBuilder().header("Authorization", "Bearer " + secret));
    }
    if (versions.length > 0) {
      transport.supportedProtocolVersions(List.of(versions));
    }
    var client = McpClient.sync(transport.build()).build();
    clients.add(client);
    return client;
  }

  private static void greet(McpSyncClient client) {
    var result = client.callTool(CallToolRequest.builder("greet").arguments(Map.of("name", "é")).build());
    assertEquals("Hello, é", ((TextContent) result.content().get(0)).text());
  }

  private String payload(int n) {
    return entries.get(n).payload();
  }

  @Test
  void theClientOfTheSdkConnectsAtItsDefault() throws Exception {
    start(ProtectedMcpServer.FACETS);
    var client = client(null);
    assertEquals("2025-11-25", client.initialize().protocolVersion());
    greet(client);
    assertTrue(entries.size() >= 3);
    for (var entry : List.copyOf(entries)) {
      assertTrue(entry.payload().contains("\"outcome\":\"accepted\""), entry.payload());
      assertTrue(entry.payload().contains("\"version\":\"2025-11-25\""), entry.payload());
    }
  }

  @Test
  void anOlderRevisionNeedsACredential() throws Exception {
    start(ProtectedMcpServer.FACETS);
    assertThrows(RuntimeException.class, () -> client(null, "2025-06-18").initialize());
    assertTrue(payload(0).contains("\"reason\":\"unauthenticated\""), payload(0));
    int refused = entries.size();
    var client = client("secret", "2025-06-18");
    assertEquals("2025-06-18", client.initialize().protocolVersion());
    greet(client);
    assertTrue(payload(refused).contains("\"version\":\"2025-06-18\""), payload(refused));
    assertEquals("acme", entries.get(refused).audience().tenant());
  }

  @Test
  void nothingBelowTheFloorGetsThrough() throws Exception {
    start(ProtectedMcpServer.FACETS);
    assertThrows(RuntimeException.class, () -> client("secret", "2024-11-05").initialize());
    assertTrue(payload(0).contains("\"reason\":\"below-floor\""), payload(0));
  }

  // By hand: the SDK's client, version 2.2.0, opens its stream under the newest revision that it
  // knows and not under the one agreed, which is refused as a change of the session (R10).
  @Test
  void aCounterOfferIsWhatTheSessionSpeaksAndIsVisible() throws Exception {
    start(Facets.mcp(new Facet(List.of("2025-06-18"), "2025-06-18", "2025-06-18")));
    var opened = post(INITIALIZE, "MCP-Protocol-Version", "2025-11-25");
    // The SDK's server speaks 2025-11-25 too; what was decided counts.
    assertTrue(opened.body().contains("\"protocolVersion\":\"2025-06-18\""), opened.body());
    assertEquals("2025-06-18", opened.headers().firstValue("MCP-Protocol-Version").orElseThrow());
    assertTrue(payload(0).contains("\"requested\":\"2025-11-25\",\"version\":\"2025-06-18\""), payload(0));
    var session = opened.headers().firstValue("Mcp-Session-Id").orElseThrow();
    var initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    var agreed = List.of("Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-06-18");
    assertEquals(202, post(initialized, agreed.toArray(new String[0])).statusCode());
  }

  private HttpResponse<String> post(byte[] body, String... headers) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(server.getURI() + "mcp"))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
    for (int n = 0; n < headers.length; n += 2) {
      request.header(headers[n], headers[n + 1]);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String body, String... headers) throws Exception {
    return post(body.getBytes(StandardCharsets.UTF_8), headers);
  }

  @Test
  void withoutADurableRecordNothingIsServed() throws Exception {
    start(ProtectedMcpServer.FACETS);
    sinkBroken = true;
    var answer = post(INITIALIZE);
    assertEquals(503, answer.statusCode());
    assertEquals("1", answer.headers().firstValue("Retry-After").orElseThrow());
    assertEquals(
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0000é\",\"error\":"
            + "{\"code\":-32603,\"message\":\"The negotiation could not be recorded\"}}",
        answer.body());
    assertTrue(answer.headers().firstValue("Mcp-Session-Id").isEmpty());
    assertTrue(answer.headers().firstValue("MCP-Protocol-Version").isEmpty());
  }

  @Test
  void aSessionKeepsItsVersion() throws Exception {
    start(ProtectedMcpServer.FACETS);
    var opened = post(INITIALIZE);
    assertEquals(200, opened.statusCode());
    assertEquals("2025-11-25", opened.headers().firstValue("MCP-Protocol-Version").orElseThrow());
    var session = opened.headers().firstValue("Mcp-Session-Id").orElseThrow();
    assertEquals(202, post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", "Mcp-Session-Id", session).statusCode());
    var list = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}";
    var other =
        post(list, "Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-06-18", "Authorization", "Bearer secret");
    assertEquals(400, other.statusCode());
    assertTrue(other.body().contains("\"id\":2") && other.body().contains("-32600"), other.body());
    // No header inside a session: the session's version, and the servlet is told so.
    var same = post(list, "Mcp-Session-Id", session);
    assertEquals(200, same.statusCode());
    assertTrue(same.body().contains("greet"), same.body());
  }

  @Test
  void whatCannotBeReadIsAnsweredBeforeAnyNegotiation() throws Exception {
    start(ProtectedMcpServer.FACETS);
    var open = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":";
    Map<String, String> bodies = new LinkedHashMap<>();
    bodies.put("no JSON", "{\"jsonrpc\":");
    bodies.put("nothing", "");
    bodies.put("a batch", "[" + INITIALIZE + "]");
    bodies.put("two methods", open + "\"initialize\",\"method\":\"tools/list\"}");
    bodies.put(
        "two versions",
        open + "\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"protocolVersion\":\"2024-11-05\"}}");
    bodies.put("a lone surrogate", open + "\"initialize\",\"params\":{\"protocolVersion\":\"\\ud800\"}}");
    bodies.put("a method, no string", open + "7}");
    bodies.put("more than one", INITIALIZE + INITIALIZE);
    bodies.put(
        "a version too long",
        open + "\"initialize\",\"params\":{\"protocolVersion\":\"" + "1".repeat(70000) + "\"}}");
    var expected =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"The message cannot be read\"}}";
    for (var body : bodies.entrySet()) {
      var answer = post(body.getValue());
      assertEquals(400, answer.statusCode(), body.getKey());
      assertEquals(expected, answer.body(), body.getKey());
    }
    var notUtf8 = (open + "\"\u00ff\"}").getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(expected, post(notUtf8).body());
    assertEquals(413, post("{\"x\":\"" + "x".repeat(5 << 20) + "\"}").statusCode());
    assertEquals(0, entries.size());
  }

  @Test
  void rememberedSessionsAreBoundedAndThoseInUseStay() throws Exception {
    start(ProtectedMcpServer.FACETS);
    var sessions = new Sessions(10);
    sessions.begin("used", "2025-06-18");
    for (int n = 0; n < 1000; n++) {
      sessions.begin("s" + n, "2025-11-25");
      assertEquals("2025-06-18", sessions.version("used"));
    }
    assertEquals(null, sessions.version("s1"));
    sessions.end("used");
    assertEquals(null, sessions.version("used"));
    assertFalse(sessions.version("s999") == null);
  }
}
