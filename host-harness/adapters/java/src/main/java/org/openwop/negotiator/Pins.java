package org.openwop.negotiator;

/** The digest of the file that this package loads, written by {@code cargo xtask dist}. */
final class Pins {
  static final String FILE = "negotiator.core.wasm";

  /* negotiator.core.wasm */ static final String SHA256 = "89519b3529631ebe0b4b30368d1899797544817b44db754a9e561cc1cb0bed87";

  private Pins() {}
}
