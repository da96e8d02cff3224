package org.openwop.negotiator.example;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.openwop.negotiator.Component;
import org.openwop.negotiator.Entry;
import org.openwop.negotiator.Facet;
import org.openwop.negotiator.Facets;
import org.openwop.negotiator.Protocol;
import org.openwop.negotiator.Subject;
import org.openwop.negotiator.servlet.NegotiationFilter;
import org.openwop.negotiator.servlet.RecordSink;

/**
 * An MCP server of the official Java SDK behind a negotiator. It listens on 127.0.0.1:8000, keeps its
 * records in records.jsonl, and takes the credential "Bearer secret" for that of the tenant acme.
 */
public final class ProtectedMcpServer {
  /** What the SDK's servlet speaks, from the floor on. */
  public static final Facets FACETS =
      Facets.mcp(new Facet(List.of("2025-06-18", "2025-11-25"), "2025-11-25", "2025-06-18"));

  private ProtectedMcpServer() {}

  public static void main(String[] arguments) throws Exception {
    var component = Component.load(Path.of(arguments[0]));
    var server = start(component, FACETS, new Journal(Path.of("records.jsonl")), 8000);
    System.err.println("MCP on " + server.getURI().resolve("/mcp"));
    server.join();
  }

  /** Starts a server with one tool. */
  public static Server start(Component component, Facets facets, RecordSink sink, int port)
      throws Exception {
    var filter =
        NegotiationFilter.builder(Protocol.MCP, component.configure(facets), sink)
            .identify(ProtectedMcpServer::identify)
            .settled(
                (request, settlement) -> {
                  var decision = settlement.decision();
                  if (decision.downgraded() || !decision.accepted()) {
                    System.err.println(decision);
                  }
                })
            .build();

    var transport = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint("/mcp").build();
    Map<String, Object> schema =
        Map.of("type", "object", "properties", Map.of("name", Map.of("type", "string")));
    McpServer.sync(transport)
        .serverInfo("greeter", "1.0.0")
        .tools(
            SyncToolSpecification.builder()
                .tool(Tool.builder("greet", schema).description("Greets.").build())
                .callHandler(
                    (exchange, call) ->
                        CallToolResult.builder()
                            .addTextContent("Hello, " + call.arguments().get("name"))
                            .build())
                .build())
        .build();

    var context = new ServletContextHandler();
    var holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    context.addFilter(holder, "/mcp", EnumSet.of(DispatcherType.REQUEST));
    var servlet = new ServletHolder(transport);
    servlet.setAsyncSupported(true);
    context.addServlet(servlet, "/mcp");
    var server = new Server(new InetSocketAddress("127.0.0.1", port));
    server.setHandler(context);
    server.start();
    return server;
  }

  private static Optional<Subject> identify(HttpServletRequest request) {
    var given = Optional.ofNullable(request.getHeader("Authorization")).orElse("");
    boolean known = MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8),
        "Bearer secret".getBytes(StandardCharsets.UTF_8));
    return known ? Optional.of(new Subject("acme", "ws-1")) : Optional.empty();
  }

  /** Keeps events in a file, one line each; an event is on the disk when record returns. */
  static final class Journal implements RecordSink {
    private final FileChannel file;

    Journal(Path path) throws IOException {
      file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public synchronized void record(Entry entry) throws IOException {
      var line = ByteBuffer.wrap((entry.event() + "\n").getBytes(StandardCharsets.UTF_8));
      while (line.hasRemaining()) {
        file.write(line);
      }
      file.force(false);
    }

    void close() throws IOException {
      file.close();
    }
  }
}
