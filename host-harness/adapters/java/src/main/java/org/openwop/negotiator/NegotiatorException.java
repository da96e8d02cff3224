package org.openwop.negotiator;

/** What this package throws. A refusal is an answer, and never thrown. */
public abstract sealed class NegotiatorException extends RuntimeException
    permits ComponentException, DigestException, FacetsException, RequestException {
  private static final long serialVersionUID = 1L;

  NegotiatorException(String message, Throwable cause) {
    super(message, cause);
  }
}
