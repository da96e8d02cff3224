package org.openwop.negotiator;

/**
 * The facets of one host, as the members of a discovery document; a protocol without a facet is not
 * spoken.
 */
public final class Facets {
  private final String json;

  private Facets(String json) {
    this.json = json;
  }

  /** Facets for A2A alone. */
  public static Facets a2a(Facet facet) {
    return of(facet, null);
  }

  /** Facets for MCP alone. */
  public static Facets mcp(Facet facet) {
    return of(null, facet);
  }

  /** Facets for both; null for a protocol that is not spoken. */
  public static Facets of(Facet a2a, Facet mcp) {
    var document = new Json.Writer();
    if (a2a != null) {
      document.raw("a2a", member(a2a, "versions", "minimumVersion"));
    }
    if (mcp != null) {
      document.raw("mcp", member(mcp, "revisions", "minimumRevision"));
    }
    return new Facets(document.text());
  }

  /** The facets of a discovery document as it is served. */
  public static Facets document(String json) {
    return new Facets(Json.value("facets", json));
  }

  private static String member(Facet facet, String list, String floor) {
    return new Json.Writer()
        .raw(list, Json.text(facet.offered()))
        .string("preferredVersion", facet.preferred())
        .string(floor, facet.floor())
        .text();
  }

  String json() {
    return json;
  }
}
