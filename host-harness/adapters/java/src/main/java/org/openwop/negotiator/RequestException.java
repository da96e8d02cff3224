package org.openwop.negotiator;

/** A request cannot be read. It names the member, never its value. */
public final class RequestException extends NegotiatorException {
  private static final long serialVersionUID = 1L;

  private final String path;
  private final String problem;

  RequestException(String path, String problem) {
    super(path + ": " + problem, null);
    this.path = path;
    this.problem = problem;
  }

  /** The member, such as {@code exchange.protocol}; {@code request} for the whole. */
  public String path() {
    return path;
  }

  /** What is wrong with it, in words. */
  public String problem() {
    return problem;
  }
}
