package org.openwop.negotiator;

/** The protocol an exchange is held in. */
public enum Protocol {
  /** Agent2Agent: versions are {@code <major>.<minor>}. */
  A2A,
  /** Model Context Protocol: versions are revision dates. */
  MCP;

  String word() {
    return this == A2A ? "a2a" : "mcp";
  }
}
