/**
 * Decides which version of A2A or MCP to use in an exchange, and writes the record that proves it:
 * OpenWOP RFC 0175 and RFC 0242. The rules are those of a certified WebAssembly module; this package
 * only carries texts in and out, and loads no other bytes than those it was released with.
 */
package org.openwop.negotiator;
