package org.openwop.negotiator;

import java.util.List;

/**
 * What a host advertises for one protocol (RFC 0175 §B.1).
 *
 * @param offered every version offered, in any order
 * @param preferred used when the other side names none
 * @param floor nothing is agreed below it
 */
public record Facet(List<String> offered, String preferred, String floor) {
  /** Copies the list. */
  public Facet {
    offered = List.copyOf(offered);
  }
}
