package org.openwop.negotiator.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/** The request as the servlet sees it: the body read before, and the version decided. */
final class DecidedRequest extends HttpServletRequestWrapper {
  private final byte[] body;
  private final String header;
  private final String version;

  /**
   * @param version null leaves the header as it came
   */
  DecidedRequest(HttpServletRequest request, byte[] body, String header, String version) {
    super(request);
    this.body = body;
    this.header = header;
    this.version = version;
  }

  private boolean decided(String name) {
    return version != null && header.equalsIgnoreCase(name);
  }

  @Override
  public String getHeader(String name) {
    return decided(name) ? version : super.getHeader(name);
  }

  @Override
  public Enumeration<String> getHeaders(String name) {
    return decided(name) ? Collections.enumeration(List.of(version)) : super.getHeaders(name);
  }

  @Override
  public Enumeration<String> getHeaderNames() {
    var names = new ArrayList<>(Collections.list(super.getHeaderNames()));
    if (version != null && names.stream().noneMatch(header::equalsIgnoreCase)) {
      names.add(header);
    }
    return Collections.enumeration(names);
  }

  @Override
  public int getContentLength() {
    return body.length;
  }

  @Override
  public long getContentLengthLong() {
    return body.length;
  }

  @Override
  public BufferedReader getReader() {
    var bytes = new ByteArrayInputStream(body);
    return new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public ServletInputStream getInputStream() {
    return new Body(body);
  }

  private static final class Body extends ServletInputStream {
    private final ByteArrayInputStream bytes;

    Body(byte[] body) {
      bytes = new ByteArrayInputStream(body);
    }

    @Override
    public int read() {
      return bytes.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      return bytes.read(target, offset, length);
    }

    @Override
    public boolean isFinished() {
      return bytes.available() == 0;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      // Everything is here already: tell so at once.
      try {
        listener.onDataAvailable();
        if (isFinished()) {
          listener.onAllDataRead();
        }
      } catch (IOException e) {
        listener.onError(e);
      }
    }
  }
}
