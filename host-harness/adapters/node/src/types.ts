/**
 * The words of the contract (`wit/`), under the same names. Texts that are versions are in the
 * grammar of their protocol wherever they come out of the component: A2A `<major>.<minor>`, MCP
 * `YYYY-MM-DD`.
 */

/** The protocol an exchange is held in. */
export type Protocol = 'a2a' | 'mcp';
/** Who asks: the other side (`inbound`) or this host. */
export type Direction = 'inbound' | 'outbound';
/** The HTTP method of an inbound message; `post` for transports that are not HTTP. */
export type HttpMethod = 'post' | 'get' | 'delete';
/** The kind of message that is being answered. */
export type Surface = 'a2a-call' | 'a2a-card' | 'mcp-initialize' | 'mcp-session' | 'mcp-request';
/** Why an exchange was refused; closed, and on record (RFC 0242 §A). */
export type Refusal = 'below-floor' | 'unsupported' | 'unauthenticated';
/** A refusal that the host itself calls for. */
export type HostRefusal = 'policy-failed' | 'credential-required';
/** Where a record lives: in the log of a run, or on the host. */
export type Home = 'run' | 'host';
/** Whether one more round may be sent (RFC 0175 §E.4). */
export type Round = 'continue' | 'refuse';
/** Why, finer than a refusal; closed, and never on record. `wit/types.wit` explains each. */
export type Cause =
  | 'exact'
  | 'default'
  | 'session'
  | 'common'
  | 'counter-offer'
  | 'answered'
  | 'named-below-floor'
  | 'session-below-floor'
  | 'offers-below-floor'
  | 'answer-below-floor'
  | 'malformed'
  | 'ambiguous'
  | 'header-body-mismatch'
  | 'session-changed'
  | 'not-named'
  | 'not-offered'
  | 'no-handshake'
  | 'no-offers'
  | 'no-common'
  | 'answer-unusable'
  | 'not-configured'
  | 'policy-denied'
  | 'policy-failed'
  | 'policy-broke-contract'
  | 'credential-missing'
  | 'credential-required'
  | 'record-not-durable';

/** What a host advertises for one protocol (RFC 0175 §B.1). */
export interface Facet {
  offered: string[];
  preferred: string;
  floor: string;
}

/** The facets of one host; a protocol without a facet is not spoken. */
export interface Facets {
  a2a?: Facet;
  mcp?: Facet;
}

/** A discovery document, or its members `a2a` and `mcp`; others are ignored here. */
export interface DiscoveryDocument {
  a2a?: { versions: string[]; preferredVersion: string; minimumVersion: string };
  mcp?: { revisions: string[]; preferredVersion: string; minimumRevision: string };
}

/** One thing wrong with a facet or with settings, and where. */
export interface Fault {
  path: string;
  problem: string;
}

/** Who owns a record; from the credential alone, never from a request. */
export interface Subject {
  tenant: string;
  workspace?: string;
}

/** A message that reached this host, as it came off the wire. */
export interface Inbound {
  protocol: Protocol;
  /** Whether the caller's identity was proven. */
  authenticated: boolean;
  httpMethod: HttpMethod;
  /** As received: any case, repeats kept, untrimmed. */
  headers: [string, string][];
  /** The raw query string without `?`; read for A2A. */
  query?: string;
  /** The JSON-RPC method. */
  method?: string;
  /** The JSON text of the JSON-RPC params. */
  params?: string;
  /** MCP: the version that this session agreed on earlier. */
  session?: string;
}

/** What a peer told of the versions that it speaks; JSON texts, but for `offers`. */
export type Listing =
  | { tag: 'nothing' }
  | { tag: 'card'; val: string }
  | { tag: 'discover'; val: string }
  | { tag: 'error'; val: string }
  | { tag: 'offers'; val: string[] };

/** What this host knows before it calls a peer. */
export interface Outbound {
  protocol: Protocol;
  /** Whether this host acts under its own proven identity. */
  authenticated: boolean;
  /** The version to ask for; the preferred one when absent. */
  requested?: string;
  listing: Listing;
  /** MCP: the JSON text of the result of `initialize`, once it was answered. */
  initialize?: string;
}

/** Which version the other side named, or why there is none. */
export type Named =
  | { tag: 'nothing' }
  | { tag: 'one'; val: string }
  | { tag: 'malformed' }
  | { tag: 'ambiguous' }
  | { tag: 'contradiction'; val: string | undefined };

/** What was read from the wire, and all that a decision depends on. */
export interface Exchange {
  protocol: Protocol;
  direction: Direction;
  authenticated: boolean;
  surface: Surface;
  named: Named;
  session?: string;
  offers?: string[];
  answered?: Named;
}

/** What the host adds to a decision to put it on record. */
export interface Context {
  /** An RFC 3339 date-time with offset; recorded as given. */
  at: string;
  /** Only the digest of its origin is used. */
  peerUrl?: string;
  subject?: Subject;
  runId?: string;
  /** The event's place in the run's log; required for the envelope of a run event. */
  sequence?: bigint;
  /** Without it there is a payload but no envelope. */
  eventId?: string;
}

/** An agreed version; the only one that may be used on the wire. */
export interface Acceptance {
  version: string;
  cause: Cause;
  /** True when it is below what was named. */
  downgraded: boolean;
}

/** No version agreed. */
export interface Rejection {
  refusal: Refusal;
  cause: Cause;
}

/** The decision on one exchange. */
export type Decision = { tag: 'accepted'; val: Acceptance } | { tag: 'refused'; val: Rejection };

/** What to send back; `error` and `envelope` are JSON texts, set on refusals. */
export interface Reply {
  status: number;
  headers: [string, string][];
  error?: string;
  envelope?: string;
}

/** A record, ready to be made durable. */
export interface Entry {
  home: Home;
  /** Who may read it; nobody when absent. */
  audience?: Subject;
  /** The exact JSON text of the payload: store it as it is. */
  payload: string;
  /** The exact JSON text of the envelope; absent without an event id. */
  event?: string;
  requested?: string;
  peerDigest?: string;
}

/**
 * Decision, record and reply of one exchange. Make `entry` durable before anything else happens;
 * when that fails, answer with `Negotiator.notDurable` instead (R15).
 */
export interface Settlement {
  decision: Decision;
  entry: Entry;
  reply: Reply;
  /** Counts the swaps of this negotiator, from 1. */
  generation: number;
  /** SHA-256 of the policy, or of the component that has its policy inside. */
  policy: string;
}

/** One thing wrong with a discovery document: the rule, where, and what to do. */
export interface Finding {
  rule: string;
  path: string;
  problem: string;
}
