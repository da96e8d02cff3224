package org.openwop.negotiator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** The component of the tests, loaded once. */
public final class Dist {
  /** Where it lies. */
  public static final Path CORE = Path.of("../../../dist/negotiator.core.wasm");

  private static Component component;

  private Dist() {}

  /** The component. */
  public static synchronized Component component() {
    try {
      if (component == null) {
        component = Component.load(CORE);
      }
      return component;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
