/** Express middleware; mount it before `express.json()` and before the handler of a package. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Answer,
  type Options,
  type Served,
  type Settings,
  anotherVersion,
  negotiate,
  settings,
  sort,
  tooLarge,
} from './exchange.js';
import { answeredVersion } from './message.js';
import type { Settlement } from '../types.js';

export { type Caller, MemorySessions, type Options, type Sessions } from './exchange.js';

/** A request of Express; `negotiation` is what was settled for it. */
export type NegotiatedRequest = IncomingMessage & {
  body?: unknown;
  originalUrl?: string;
  negotiation?: Settlement;
};

/**
 * Negotiates every request before the handlers behind it; nothing reaches them without a durable
 * record. They find the parsed message in `req.body`, the settlement in `req.negotiation`, and the
 * version decided in the version header, whatever the caller sent there.
 */
export function negotiation(
  options: Options<NegotiatedRequest>,
): (req: NegotiatedRequest, res: ServerResponse, next: (error?: unknown) => void) => void {
  const full = settings(options);
  return (req, res, next) => {
    handle(full, req, res).then((served) => served && next(), next);
  };
}

/** Whether the handlers behind may serve. */
async function handle(
  full: Settings<NegotiatedRequest>,
  req: NegotiatedRequest,
  res: ServerResponse,
): Promise<boolean> {
  const method = req.method ?? 'GET';
  const kind = sort(method);
  if (kind === 'pass') return true;
  if (kind !== 'negotiate') return respond(res, kind);
  if (req.body !== undefined || req.readableEnded)
    throw new Error('negotiation() must stand before any body parser: it reads the raw body');
  const body = method === 'POST' ? await bytes(req, full.maxBody) : new Uint8Array();
  if (body === undefined) {
    res.setHeader('connection', 'close');
    return respond(res, tooLarge());
  }
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < req.rawHeaders.length; at += 2)
    headers.push([req.rawHeaders[at] ?? '', req.rawHeaders[at + 1] ?? '']);
  const query = (req.originalUrl ?? req.url ?? '').split('?').slice(1).join('?');
  const result = await negotiate(full, req, { httpMethod: method, headers, query, body });
  if ('answer' in result) return respond(res, result.answer);
  const { served } = result;
  forward(req, method, served);
  if (served.initialize) hold(res, served, full);
  else pass(res, served, full, method);
  return true;
}

/** Shows the handlers behind what was decided, however they look at a request. */
function forward(req: NegotiatedRequest, method: string, served: Served): void {
  const [name, version] = served.versionHeader;
  const kept: string[] = [];
  const raw = req.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2)
    if (raw[at]?.toLowerCase() !== name) kept.push(raw[at] ?? '', raw[at + 1] ?? '');
  if (version !== undefined) kept.push(name, version);
  req.rawHeaders = kept;
  if (version === undefined) delete req.headers[name];
  else req.headers[name] = version;
  if (method === 'POST') {
    req.headers['content-length'] = String(served.body.length);
    req.body = JSON.parse(new TextDecoder().decode(served.body));
    // Body parsers of Express 4 look at this, those of Express 5 at the end of the stream.
    Object.assign(req, { _body: true });
  }
  req.negotiation = served.settlement;
}

/** Sets our headers at the last moment, so that nothing behind can set others. */
function pass(
  res: ServerResponse,
  served: Served,
  { sessions }: Settings<NegotiatedRequest>,
  method: string,
): void {
  const writeHead = res.writeHead.bind(res) as (...head: unknown[]) => ServerResponse;
  res.writeHead = ((...head: unknown[]) => writeHead(...withHeaders(head, served))) as never;
  res.once('finish', () => {
    const { sessionId } = served;
    const gone = (method === 'DELETE' && res.statusCode < 300) || res.statusCode === 404;
    if (sessionId !== undefined && gone) void sessions.drop(sessionId);
  });
}

/** Holds the answer to `initialize` until it is known to name the version decided. */
function hold(
  res: ServerResponse,
  served: Served,
  { sessions, maxBody }: Settings<NegotiatedRequest>,
): void {
  const { writeHead, end } = res;
  const own = { write: res.write, flushHeaders: res.flushHeaders, writeHead, end };
  const chunks: Buffer[] = [];
  let size = 0;
  let head: unknown[] | undefined;
  const take = (chunk: unknown, encoding: unknown) => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return;
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size <= maxBody) chunks.push(bytes);
  };
  const callback = (values: unknown[]) =>
    values.find((value): value is () => void => typeof value === 'function');
  res.writeHead = ((...values: unknown[]) => {
    head = values;
    return res;
  }) as never;
  res.flushHeaders = () => undefined;
  res.write = ((...values: unknown[]) => {
    take(values[0], values[1]);
    callback(values)?.();
    return true;
  }) as never;
  res.end = ((...values: unknown[]) => {
    take(values[0], values[1]);
    Object.assign(res, own);
    // What Express and `writeHead` were told, in one place.
    const { status, headers } = headOf(head ?? [res.statusCode]);
    for (const [name, value] of headers) res.setHeader(name, value);
    const body = Buffer.concat(chunks);
    const type = String(res.getHeader('content-type') ?? '');
    const { result, version } = answeredVersion(body.toString('utf8'), type);
    if (size > maxBody || (result && version !== served.version)) {
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      respond(res, anotherVersion(served));
      return res;
    }
    const sessionId = res.getHeader('mcp-session-id');
    const kept =
      result && typeof sessionId === 'string' ? sessions.put(sessionId, served.version) : undefined;
    for (const [name, value] of served.headers) res.setHeader(name, value);
    res.statusCode = status;
    Promise.resolve(kept).then(
      () => res.end(body, callback(values)),
      (error) => res.destroy(error),
    );
    return res;
  }) as never;
}

/** The status and the headers that `writeHead` was given, in any of its forms. */
function headOf(head: unknown[]): { status: number; headers: [string, string | string[]][] } {
  const given = head.find((value) => typeof value === 'object' && value !== null);
  const headers: [string, string | string[]][] = [];
  if (Array.isArray(given)) {
    const pairs = Array.isArray(given[0]) ? given : pairsOf(given);
    headers.push(...(pairs as [string, string][]));
  } else if (given !== undefined) {
    for (const [name, value] of Object.entries(given as Record<string, string | undefined>))
      if (value !== undefined) headers.push([name, value]);
  }
  return { status: Number(head[0]), headers };
}

function pairsOf(flat: unknown[]): unknown[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : []));
}

function withHeaders(head: unknown[], served: Served): unknown[] {
  const { status, headers } = headOf(head);
  const ours = new Set(served.headers.map(([name]) => name));
  const kept = headers.filter(([name]) => !ours.has(name.toLowerCase()));
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of [...kept, ...served.headers])
    all[name] = name in all ? [all[name] ?? [], value].flat() : value;
  const reason = typeof head[1] === 'string' ? [head[1]] : [];
  return [status, ...reason, all];
}

function respond(res: ServerResponse, { status, headers, body }: Answer): false {
  res.writeHead(status, [
    ...headers.flat(),
    'content-length',
    String(Buffer.byteLength(body)),
  ]);
  res.end(body);
  return false;
}

/** The whole request body; undefined past the limit, the rest being thrown away. */
function bytes(req: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else resolve(undefined);
    });
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', reject);
  });
}
