package org.openwop.negotiator.servlet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openwop.negotiator.Json;

/**
 * What the negotiation reads of a JSON-RPC message, and no more.
 *
 * @param method or null
 * @param id JSON text to answer with, or null
 * @param params null: none, or no object, which names nothing
 * @param meta null likewise
 */
record Message(String method, String id, Map<String, String> params, Map<String, String> meta) {
  static final Message NONE = new Message(null, null, null, null);

  private static final String META_VERSION = "io.modelcontextprotocol/protocolVersion";
  private static final String VERSION = "protocolVersion";
  private static final int LONGEST_ID = 256;

  /**
   * Reads one message.
   *
   * @throws IOException it is not one, or a member stands in it twice: which of the two counts
   *     would be up to the next reader
   */
  static Message read(byte[] body) throws IOException {
    var top = Json.members(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    if (top == null) {
      throw new IOException("no object");
    }
    var method = Json.string(top.get("method"));
    if (top.containsKey("method") && method == null) {
      throw new IOException("the method is no string");
    }
    var params = object(top.get("params"));
    var meta = params == null ? null : object(params.get("_meta"));
    return new Message(method, id(top.get("id")), params, meta);
  }

  private static Map<String, String> object(String text) throws IOException {
    return text == null ? null : Json.members(text);
  }

  /** A number or a short string, else null. */
  private static String id(String id) {
    boolean fits = id != null && id.length() <= LONGEST_ID && "\"-0123456789".indexOf(id.charAt(0)) >= 0;
    return fits ? id : null;
  }

  /**
   * The members of params that name a version. The rest may be long, and is nobody's business here.
   */
  String named() {
    if (params == null) {
      return null;
    }
    var named = new Json.Writer().raw(VERSION, params.get(VERSION));
    if (meta != null && meta.containsKey(META_VERSION)) {
      named.raw("_meta", new Json.Writer().raw(META_VERSION, meta.get(META_VERSION)).text());
    }
    return named.text();
  }

  /** The body with every name of a version replaced; the body itself where they all say so. */
  byte[] naming(byte[] body, String version) throws IOException {
    var quoted = Json.text(version);
    var changed = params == null ? new LinkedHashMap<String, String>() : new LinkedHashMap<>(params);
    boolean same = quoted.equals(changed.put(VERSION, quoted));
    if (meta != null && meta.containsKey(META_VERSION)) {
      var changedMeta = new LinkedHashMap<>(meta);
      if (!quoted.equals(changedMeta.put(META_VERSION, quoted))) {
        changed.put("_meta", text(changedMeta));
        same = false;
      }
    }
    if (same) {
      return body;
    }
    var top = Json.members(new String(body, StandardCharsets.UTF_8));
    top.put("params", text(changed));
    return text(top).getBytes(StandardCharsets.UTF_8);
  }

  private static String text(Map<String, String> members) {
    var object = new Json.Writer();
    members.forEach(object::raw);
    return object.text();
  }
}
