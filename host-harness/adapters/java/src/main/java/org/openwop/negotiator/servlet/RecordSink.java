package org.openwop.negotiator.servlet;

import org.openwop.negotiator.Entry;

/** Where records go. */
@FunctionalInterface
public interface RecordSink {
  /**
   * Makes an entry durable before it returns.
   *
   * @throws Exception the record could not be written: the exchange is refused
   */
  void record(Entry entry) throws Exception;
}
