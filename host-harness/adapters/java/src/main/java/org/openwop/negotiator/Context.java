package org.openwop.negotiator;

import java.time.Instant;

/**
 * What the host adds to a decision to put it on record. Each method gives a changed copy: {@code
 * Context.at(Instant.now()).subject(new Subject("acme", "ws-1"))}.
 *
 * @param at when
 * @param peerUrl only the digest of its origin is recorded; or null
 * @param subject who owns the record; null if the caller has no identity
 * @param runId the run that the negotiation belongs to, or null
 * @param sequence the event's place in that run's log, from 0, or null
 * @param eventId unique for the host: {@code ^[A-Za-z0-9._~-]{16,128}$}; null: a payload but no
 *     envelope
 */
public record Context(
    Instant at, String peerUrl, Subject subject, String runId, Long sequence, String eventId) {
  /** Only when. */
  public static Context at(Instant at) {
    return new Context(at, null, null, null, null, null);
  }

  /** The peer's URL. */
  public Context peerUrl(String url) {
    return new Context(at, url, subject, runId, sequence, eventId);
  }

  /** Who owns the record. */
  public Context subject(Subject owner) {
    return new Context(at, peerUrl, owner, runId, sequence, eventId);
  }

  /** The run, and the event's place in its log. */
  public Context run(String id, long place) {
    return new Context(at, peerUrl, subject, id, place, eventId);
  }

  /** The id of the event. */
  public Context eventId(String id) {
    return new Context(at, peerUrl, subject, runId, sequence, id);
  }
}
