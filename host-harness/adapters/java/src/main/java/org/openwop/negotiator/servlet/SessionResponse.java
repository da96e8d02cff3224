package org.openwop.negotiator.servlet;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.util.function.Consumer;

/** Tells of the session that the servlet opens, as soon as it does: its answer may come later. */
final class SessionResponse extends HttpServletResponseWrapper {
  private final String header;
  private final Consumer<String> opened;

  SessionResponse(HttpServletResponse response, String header, Consumer<String> opened) {
    super(response);
    this.header = header;
    this.opened = opened;
  }

  @Override
  public void setHeader(String name, String value) {
    tell(name, value);
    super.setHeader(name, value);
  }

  @Override
  public void addHeader(String name, String value) {
    tell(name, value);
    super.addHeader(name, value);
  }

  private void tell(String name, String value) {
    if (header.equalsIgnoreCase(name) && value != null && !value.isEmpty()) {
      opened.accept(value);
    }
  }
}
