package org.openwop.negotiator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/**
 * The certified module, checked and compiled to JVM bytecode by Chicory. It answers what needs no
 * facets; {@link #configure} gives what decides.
 *
 * <p>Any number of threads may use it: calls take an instance from a pool, and wait when all are
 * busy.
 */
public final class Component {
  private final Abi.Code code;
  private final int size;
  private final Pool pool;

  private Component(byte[] wasm, int instances) {
    if (!Pins.SHA256.equals(sha256(wasm))) {
      throw new DigestException(
          "the bytes are not those of the pinned " + Pins.FILE + ", sha256 " + Pins.SHA256);
    }
    size = instances;
    code = new Abi.Code(wasm);
    pool = new Pool(size, code::instantiate);
  }

  /**
   * Loads {@code negotiator.core.wasm}, with as many instances as there are processors.
   *
   * @throws DigestException for any other bytes
   */
  public static Component load(Path file) throws IOException {
    return load(Files.readAllBytes(file), Runtime.getRuntime().availableProcessors());
  }

  /**
   * Loads the bytes of {@code negotiator.core.wasm}.
   *
   * @param instances how many calls may run at once
   * @throws DigestException for any other bytes
   */
  public static Component load(byte[] wasm, int instances) {
    return new Component(wasm, Math.max(instances, 1));
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /**
   * A negotiator for these facets.
   *
   * @throws FacetsException with every fault
   */
  public Negotiator configure(Facets facets) {
    return configure(facets, "");
  }

  /**
   * A negotiator for these facets and settings of the policy; the default policy takes none.
   *
   * @throws FacetsException with every fault
   */
  public Negotiator configure(Facets facets, String settings) {
    var request =
        new Json.Writer().raw("facets", facets.json()).string("settings", settings).text();
    var configured =
        new Pool(
            size,
            () -> {
              var instance = code.instantiate();
              Answers.ok(instance.ask("configure", request));
              return instance;
            });
    configured.with(instance -> null); // shows now whether the facets are valid
    return new Negotiator(configured);
  }

  /** An answer of the plain JSON entry: exact text, an error answer if not ok. */
  public record Answer(boolean ok, String text) {}

  /**
   * The plain JSON entry: one request of the JSON contract, one answer. Requests bring their own
   * facets. An operation {@code configure} is checked and answered, and has no effect on other
   * calls.
   */
  public Answer call(String operation, String request) {
    // The instance of a configure is not one to give to others.
    var from = operation.equals("configure") ? new Pool(1, code::instantiate) : pool;
    var answer = from.with(instance -> instance.ask(operation, request));
    return new Answer(answer.ok(), answer.text());
  }

  private String ask(String operation, Json.Writer request, String member) {
    var answer = pool.with(instance -> instance.ask(operation, request.text()));
    return Answers.members(Answers.ok(answer)).get(member);
  }

  /**
   * SHA-256 of the origin of a URL, as 64 lower-case hex digits; null for an origin that is not a
   * tuple, such as that of a file (R8).
   */
  public String digest(String url) {
    return Json.string(ask("digest", new Json.Writer().string("url", url), "peerDigest"));
  }

  /** Whether one more MRTR round may begin. */
  public boolean admitRound(int maxRounds, int inputRequiredSeen) {
    var request =
        new Json.Writer()
            .raw("maxRounds", Integer.toUnsignedString(maxRounds))
            .raw("inputRequiredSeen", Integer.toUnsignedString(inputRequiredSeen));
    return "\"continue\"".equals(ask("rounds", request, "decision"));
  }

  /** Whether a facet refreshed on this date ({@code YYYY-MM-DD}) is fresh at this instant. */
  public boolean fresh(String refreshedAt, Instant now) {
    var request =
        new Json.Writer().string("refreshedAt", refreshedAt).string("now", now.toString());
    return "true".equals(ask("fresh", request, "fresh"));
  }

  /** Every fault of the facets of a discovery document; none if they are valid. */
  public List<Fault> checkFacets(String document) {
    var request = new Json.Writer().foreign("request", "facets", document);
    return Json.list(ask("facets", request, "faults"), Fault.class);
  }

  /** What is wrong with a discovery document at this instant; nothing if it is sound. */
  public List<Finding> check(String document, Instant now) {
    var request =
        new Json.Writer().foreign("request", "document", document).string("now", now.toString());
    return Json.list(ask("check", request, "findings"), Finding.class);
  }

  /** The A2A task state of a run's status. */
  public String taskState(String status) {
    return Json.string(ask("task-state", new Json.Writer().string("status", status), "state"));
  }
}
