package org.openwop.negotiator.servlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.openwop.negotiator.Dist;
import org.openwop.negotiator.Facets;
import org.openwop.negotiator.Protocol;
import org.openwop.negotiator.Subject;

/**
 * Raw requests, and what every drop-in makes of them: {@code make_http_cases.py} tells what is what.
 * They go over a socket, as no client would send some of them.
 */
class HttpCasesTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @TestFactory
  List<DynamicTest> rawRequestsAreAnsweredAsByEveryDropIn() throws IOException {
    var tests = new ArrayList<DynamicTest>();
    for (var line : Files.readAllLines(Path.of("../http-cases.jsonl"))) {
      var test = MAPPER.readTree(line);
      var name = test.get("id").textValue() + " " + test.get("title").textValue();
      tests.add(DynamicTest.dynamicTest(name, () -> new HttpCasesTest().replay(test)));
    }
    assertTrue(tests.size() > 80);
    return tests;
  }

  private String recorded;
  private boolean forwarded;
  private String forwardedVersion;
  private byte[] forwardedBody;

  private void replay(JsonNode test) throws Exception {
    boolean a2a = test.get("protocol").textValue().equals("a2a");
    boolean authenticated = test.get("authenticated").booleanValue();
    boolean sinkFails = test.path("sinkFails").booleanValue();
    var header = a2a ? "A2A-Version" : "MCP-Protocol-Version";
    var host = Dist.component().configure(Facets.document(test.get("facets").toString()));
    var filter =
        NegotiationFilter.builder(
                a2a ? Protocol.A2A : Protocol.MCP,
                host,
                entry -> {
                  recorded = entry.payload();
                  assertEquals(authenticated, entry.audience() != null);
                  if (sinkFails) {
                    throw new IOException("full");
                  }
                })
            .identify(
                request ->
                    authenticated ? Optional.of(new Subject("acme", "ws-1")) : Optional.empty())
            .credentialRequired(test.path("requireCredential").booleanValue())
            .clock(Clock.fixed(Instant.parse("2026-11-30T12:00:00Z"), ZoneOffset.UTC))
            .build();
    if (test.has("session")) {
      filter.sessions().begin("s-1", test.get("session").textValue());
    }
    var request = test.get("request");
    byte[] body =
        request.has("bodyBase64")
            ? Base64.getDecoder().decode(request.get("bodyBase64").textValue())
            : request.path("body").asText("").getBytes(StandardCharsets.UTF_8);

    var answer = exchange(filter, header, request, body);

    // The same instant; java.time has no trailing zeros.
    var record = test.get("record").isNull() ? null : test.get("record").textValue().replace(":00.000Z", ":00Z");
    if (!sinkFails) {
      assertEquals(record, recorded);
    }
    assertTrue(answer.startsWith("HTTP/1.1 " + test.get("status").asInt()), answer);
    for (var expected : test.get("headers").properties()) {
      var line = "\r\n" + expected.getKey() + ": " + expected.getValue().textValue().toLowerCase() + "\r\n";
      assertTrue(answer.toLowerCase().contains(line), line + "in " + answer);
    }
    if (test.has("body")) {
      assertEquals(test.get("body").textValue(), answer.substring(answer.indexOf("\r\n\r\n") + 4));
    }
    assertEquals(!test.get("forwarded").isNull(), forwarded);
    if (forwarded) {
      var seen = test.get("forwarded");
      assertEquals(seen.get("version").textValue(), forwardedVersion);
      var expected = seen.hasNonNull("body") ? seen.get("body").textValue().getBytes(StandardCharsets.UTF_8) : body;
      assertEquals(new String(expected, StandardCharsets.ISO_8859_1), new String(forwardedBody, StandardCharsets.ISO_8859_1));
    }
  }

  private String exchange(NegotiationFilter filter, String header, JsonNode request, byte[] body)
      throws Exception {
    var servlet =
        new HttpServlet() {
          private static final long serialVersionUID = 1L;

          @Override
          protected void service(HttpServletRequest seen, HttpServletResponse response)
              throws IOException {
            forwarded = true;
            forwardedVersion = seen.getHeader(header);
            forwardedBody = seen.getInputStream().readAllBytes();
          }
        };
    var context = new ServletContextHandler();
    context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
    context.addServlet(new ServletHolder(servlet), "/*");
    var server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(context);
    server.start();
    try (var socket = new Socket("127.0.0.1", server.getURI().getPort())) {
      var head = new StringBuilder();
      head.append(request.get("method").textValue()).append(' ').append(request.get("target").textValue());
      head.append(" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
      head.append("Content-Length: ").append(body.length).append("\r\n");
      for (var pair : request.get("headers")) {
        head.append(pair.get(0).textValue()).append(": ").append(pair.get(1).textValue()).append("\r\n");
      }
      var bytes = new ByteArrayOutputStream();
      bytes.write(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
      bytes.write(body);
      socket.getOutputStream().write(bytes.toByteArray());
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      server.stop();
    }
  }
}
