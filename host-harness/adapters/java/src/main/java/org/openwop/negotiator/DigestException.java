package org.openwop.negotiator;

/** The bytes are not those of the component that this package was released with. */
public final class DigestException extends NegotiatorException {
  private static final long serialVersionUID = 1L;

  DigestException(String message) {
    super(message, null);
  }
}
