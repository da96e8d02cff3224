package org.openwop.negotiator;

import java.util.List;
import java.util.stream.Collectors;

/** Nothing can be decided under these facets; lists every fault. */
public final class FacetsException extends NegotiatorException {
  private static final long serialVersionUID = 1L;

  private final transient List<Fault> faults;

  FacetsException(List<Fault> faults) {
    super(
        faults.stream()
            .map(fault -> fault.path() + ": " + fault.problem())
            .collect(Collectors.joining("; ", "invalid facets: ", "")),
        null);
    this.faults = List.copyOf(faults);
  }

  /** Every fault. */
  public List<Fault> faults() {
    return faults;
  }
}
