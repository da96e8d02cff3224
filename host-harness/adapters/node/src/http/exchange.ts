/** What both drop-ins share: from a request to a settlement, and what to send for it. */

import type { Negotiator } from '../negotiator.js';
import type { Acceptance, HttpMethod, Inbound, Protocol, Settlement, Subject } from '../types.js';
import { type Message, Unreadable, readMessage, withVersion } from './message.js';
import { MemorySessions, type Sessions } from './sessions.js';

export { MemorySessions, type Sessions } from './sessions.js';

/** A caller whose identity was proven; `subject` owns the record, if it is known. */
export interface Caller {
  subject?: Subject;
}

/** How to negotiate; `Request` is what the framework calls a request. */
export interface Options<Request> {
  negotiator: Negotiator;
  protocol: Protocol;
  /**
   * Makes a record durable: store `entry.payload` or `entry.event` as it is. When it throws or
   * rejects, the caller gets 503 and nothing is served. `decision.val.downgraded` tells a
   * downgrade.
   */
  sink: (settlement: Settlement) => Promise<void> | void;
  /**
   * Gives a Caller for a proven identity. Without it everybody is unauthenticated: nothing below
   * preferred is agreed.
   */
  authenticate?: (request: Request) => Promise<Caller | undefined> | Caller | undefined;
  /** Refuses whoever is unauthenticated with 401 (R14). */
  requireCredential?: boolean;
  /** Where MCP sessions are kept; in memory by default. */
  sessions?: Sessions;
  /** Bytes of a request body that are read, and of an answer to `initialize`; 4 MiB by default. */
  maxBody?: number;
  clock?: () => Date;
  eventId?: () => string;
}

/** A request as it came off the wire. */
export interface Raw {
  httpMethod: string;
  headers: [string, string][];
  query: string;
  body: Uint8Array;
}

/** An answer of the drop-in itself. */
export interface Answer {
  status: number;
  headers: [string, string][];
  body: string;
}

/** What the app may serve: the version decided, and what to put in front of it and behind it. */
export interface Served {
  settlement: Settlement;
  version: string;
  /** The version header that the app must see; undefined: none. */
  versionHeader: [string, string | undefined];
  /** The body that the app must see. */
  body: Uint8Array;
  /** Headers of the answer, whatever the app sets there. */
  headers: [string, string][];
  /** Set for an MCP `initialize`: hold the app's answer and look at it with `checkInitialize`. */
  initialize: boolean;
  sessionId: string | undefined;
  id: string;
}

const METHODS: Record<string, HttpMethod> = {
  POST: 'post',
  GET: 'get',
  HEAD: 'get',
  DELETE: 'delete',
};
const VERSION_HEADER = { a2a: 'a2a-version', mcp: 'mcp-protocol-version' } as const;
const DEFAULT_MAX_BODY = 4 * 1024 * 1024;

/** Options with what was left out. */
export type Settings<Request> = Options<Request> &
  Required<Pick<Options<Request>, 'sessions' | 'maxBody' | 'clock' | 'eventId'>>;

export function settings<Request>(options: Options<Request>): Settings<Request> {
  return {
    sessions: new MemorySessions(),
    maxBody: DEFAULT_MAX_BODY,
    clock: () => new Date(),
    eventId: () => `hev-${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`,
    ...options,
  };
}

/** Whether a request goes to the app as it is, or is answered, or is negotiated. */
export function sort(httpMethod: string): 'pass' | 'negotiate' | Answer {
  if (httpMethod === 'OPTIONS') return 'pass';
  if (httpMethod in METHODS) return 'negotiate';
  return { status: 405, headers: [['allow', 'DELETE, GET, OPTIONS, POST']], body: '' };
}

export const tooLarge = (): Answer =>
  rpcError(413, [], 'null', '{"code":-32600,"message":"Too large"}');

/** Reads, settles, records: an answer of our own, or what the app may serve. */
export async function negotiate<Request>(
  options: Settings<Request>,
  request: Request,
  raw: Raw,
): Promise<{ answer: Answer } | { served: Served }> {
  const { negotiator, protocol } = options;
  let message: Message = { id: 'null' };
  if (raw.httpMethod === 'POST') {
    try {
      message = readMessage(raw.body);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const text = JSON.stringify({ code: error.code, message: error.message });
      return { answer: rpcError(400, [], 'null', text) };
    }
  }
  const caller = await options.authenticate?.(request);
  const sessionId = protocol === 'mcp' ? only(raw.headers, 'mcp-session-id') : undefined;
  const session = sessionId === undefined ? undefined : await options.sessions.get(sessionId);
  const facts: Inbound = {
    protocol,
    authenticated: caller !== undefined,
    httpMethod: METHODS[raw.httpMethod] ?? 'post',
    headers: raw.headers,
    query: protocol === 'a2a' && raw.query !== '' ? raw.query : undefined,
    method: message.method,
    params: message.params,
    session,
  };
  const context = {
    at: options.clock().toISOString(),
    subject: caller?.subject,
    eventId: options.eventId(),
  };
  const settlement =
    options.requireCredential && caller === undefined
      ? negotiator.refuse(facts, context, 'credential-required')
      : negotiator.settle(facts, context);
  try {
    await options.sink(settlement);
  } catch {
    // Without its record nothing is served, whatever went wrong (R15).
    return { answer: refusal(facts, message, negotiator.notDurable(facts)) };
  }
  if (settlement.decision.tag === 'refused')
    return { answer: refusal(facts, message, settlement.reply) };
  return { served: serve(settlement, settlement.decision.val, raw, message, sessionId, protocol) };
}

function serve(
  settlement: Settlement,
  { version, cause }: Acceptance,
  raw: Raw,
  message: Message,
  sessionId: string | undefined,
  protocol: Protocol,
): Served {
  const initialize = protocol === 'mcp' && message.method === 'initialize';
  const name = VERSION_HEADER[protocol];
  const named = raw.headers.some(([header]) => header.toLowerCase() === name);
  return {
    settlement,
    version,
    versionHeader: [name, initialize && !named ? undefined : version],
    body: initialize && cause !== 'exact' ? withVersion(raw.body, version) : raw.body,
    headers: settlement.reply.headers.map(([header, value]) => [header.toLowerCase(), value]),
    initialize,
    sessionId,
    id: message.id,
  };
}

/** An answer to `initialize` with another version would make the record untrue. */
export const anotherVersion = (served: Served): Answer =>
  rpcError(
    502,
    [],
    served.id,
    '{"code":-32603,"message":"The server answered another version than agreed"}',
  );

function refusal(
  facts: Inbound,
  message: Message,
  reply: { status: number; headers: [string, string][]; error?: string; envelope?: string },
): Answer {
  // The agent card is no JSON-RPC surface.
  if (facts.protocol === 'a2a' && facts.httpMethod === 'get')
    return {
      status: reply.status,
      headers: [...reply.headers, JSON_TYPE],
      body: reply.envelope ?? '{}',
    };
  return rpcError(reply.status, reply.headers, message.id, reply.error ?? 'null');
}

const JSON_TYPE: [string, string] = ['content-type', 'application/json'];

function rpcError(
  status: number,
  headers: [string, string][],
  id: string,
  error: string,
): Answer {
  return {
    status,
    headers: [...headers, JSON_TYPE],
    body: `{"jsonrpc":"2.0","id":${id},"error":${error}}`,
  };
}

function only(headers: [string, string][], name: string): string | undefined {
  const values = headers.filter(([header]) => header.toLowerCase() === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}
