package org.openwop.negotiator;

/** The digest of the file that this package loads, written by {@code cargo xtask dist}. */
final class Pins {
  static final String FILE = "negotiator.core.wasm";

  /* negotiator.core.wasm */ static final String SHA256 = "108e981598a052c39ebbba3b08f30c7b42e02a14b1bc2db80d7caf1a3a250ebb";

  private Pins() {}
}
