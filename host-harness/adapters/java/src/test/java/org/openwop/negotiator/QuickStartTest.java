package org.openwop.negotiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Runs what the README shows, and compares what it prints. */
class QuickStartTest {
  @Test
  void theQuickStartPrintsWhatTheReadmeSays() throws Exception {
    var readme = Files.readString(Path.of("README.md"));
    var source = Files.readString(Path.of("src/test/java/org/openwop/negotiator/example/QuickStart.java"));
    assertTrue(source.replaceAll("(?m)^ +", "").contains(block(readme, "java").replaceAll("(?m)^ +", "")));

    var written = new ByteArrayOutputStream();
    var before = System.out;
    System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
    try {
      org.openwop.negotiator.example.QuickStart.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    assertEquals(block(readme, "text"), written.toString(StandardCharsets.UTF_8));
  }

  private static String block(String readme, String language) {
    int start = readme.indexOf("```" + language + "\n") + language.length() + 4;
    return readme.substring(start, readme.indexOf("```", start));
  }
}
