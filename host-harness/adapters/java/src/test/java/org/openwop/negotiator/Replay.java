package org.openwop.negotiator;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Answers every line of a corpus and compares each answer with the one that the line states, byte
 * for byte; then it may settle many times on several threads and report the memory before and
 * after. Its last line is a JSON object for {@code cargo xtask hosts}.
 */
public final class Replay {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** The JIT compiles what runs often: so many rounds come before the one that is timed. */
  private static final int WARM_UP = 30;

  public static void main(String[] arguments) throws Exception {
    Map<String, String> options = new HashMap<>();
    for (int n = 0; n + 1 < arguments.length; n += 2) {
      options.put(arguments[n], arguments[n + 1]);
    }
    int settles = Integer.parseInt(options.getOrDefault("--settles", "0"));
    int threads = Integer.parseInt(options.getOrDefault("--threads", "1"));

    long start = System.nanoTime();
    var core = Path.of(options.get("--component")).resolveSibling("negotiator.core.wasm");
    var component = Component.load(Files.readAllBytes(core), threads);
    component.call("digest", "{\"url\":null}");
    double loadMillis = (System.nanoTime() - start) / 1e6;

    int total = 0;
    int passed = 0;
    List<String> requests = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(options.get("--vectors")))) {
      var vector = MAPPER.readTree(line);
      var request = vector.get("requestText").textValue();
      var answer = component.call(vector.get("op").textValue(), request);
      total++;
      if (answer.ok() == vector.get("ok").booleanValue()
          && answer.text().equals(vector.get("answerText").textValue())) {
        passed++;
      } else {
        System.out.println(vector.get("id") + ": expected " + vector.get("answerText"));
        System.out.println("  got " + answer);
      }
      if (answer.ok() && vector.get("op").textValue().equals("settle")) {
        requests.add(request);
      }
    }
    settle(component, requests, WARM_UP * requests.size(), 1);
    long[] times = new long[requests.size()];
    for (int n = 0; n < times.length; n++) {
      long before = System.nanoTime();
      component.call("settle", requests.get(n));
      times[n] = System.nanoTime() - before;
    }
    Arrays.sort(times);

    var report = MAPPER.createObjectNode();
    report.put("language", "Java").put("runtime", "Chicory").put("version", version());
    report.put("passed", passed).put("total", total);
    report.put("settleMicros", times[times.length / 2] / 1e3).put("loadMillis", loadMillis);
    if (settles > 0) {
      settle(component, requests, settles / 10, threads);
      report.put("memoryBeforeMiB", memory());
      settle(component, requests, settles, threads);
      report.put("memoryAfterMiB", memory());
    }
    report.put("memoryMiB", memory());
    System.out.println(MAPPER.writeValueAsString(report));
    System.exit(passed == total && total > 0 ? 0 : 1);
  }

  private static void settle(Component component, List<String> requests, int count, int threads)
      throws Exception {
    var pool = Executors.newFixedThreadPool(threads);
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int first = t;
      tasks.add(
          () -> {
            for (int n = first; n < count; n += threads) {
              if (!component.call("settle", requests.get(n % requests.size())).ok()) {
                throw new IllegalStateException("a settle failed");
              }
            }
            return null;
          });
    }
    for (Future<Void> done : pool.invokeAll(tasks)) {
      done.get();
    }
    pool.shutdown();
  }

  /** The resident memory of the process in MiB, garbage collected first. */
  private static double memory() throws IOException {
    System.gc();
    var status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) / 1048576.0;
    }
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith("VmRSS:")) {
        return Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024;
      }
    }
    return 0;
  }

  private static String version() {
    var from = com.dylibso.chicory.wasm.Parser.class.getProtectionDomain().getCodeSource();
    var jar = Path.of(from.getLocation().getPath()).getFileName().toString();
    return jar.replaceAll("^wasm-|\\.jar$", "") + " (JVM " + Runtime.version().feature() + ")";
  }
}
