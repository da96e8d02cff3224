package org.openwop.negotiator;

/** The component could not be compiled or failed in a call; nothing was decided. */
public final class ComponentException extends NegotiatorException {
  private static final long serialVersionUID = 1L;

  ComponentException(String message, Throwable cause) {
    super(message, cause);
  }
}
