package org.openwop.negotiator.servlet;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The version that each MCP session agreed on. Bounded: the session that was used least recently is
 * forgotten first, and no more is known of it then than its requests say.
 */
final class Sessions {
  private final Map<String, String> versions;

  Sessions(int most) {
    versions =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > most;
          }
        };
  }

  synchronized String version(String id) {
    return id == null ? null : versions.get(id);
  }

  synchronized void begin(String id, String version) {
    versions.put(id, version);
  }

  synchronized void end(String id) {
    versions.remove(id);
  }
}
