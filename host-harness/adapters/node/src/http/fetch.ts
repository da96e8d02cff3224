/** A wrapper for fetch handlers: Node frameworks that use them, Workers, Deno, Bun. */

import {
  type Answer,
  type Options,
  type Served,
  anotherVersion,
  negotiate,
  settings,
  sort,
  tooLarge,
} from './exchange.js';
import { answeredVersion } from './message.js';
import type { Settlement } from '../types.js';

export { type Caller, MemorySessions, type Options, type Sessions } from './exchange.js';

/** What serves a request that was accepted; the settlement says what was decided. */
export type Handler<Rest extends unknown[]> = (
  request: Request,
  ...rest: Rest
) => Promise<Response> | Response;

const SETTLEMENTS = new WeakMap<Request, Settlement>();

/** The settlement of a request that a wrapped handler was given. */
export function settlementOf(request: Request): Settlement | undefined {
  return SETTLEMENTS.get(request);
}

/**
 * Negotiates every request before `handler`; nothing reaches it without a durable record. The
 * handler finds the version decided in the version header of its request, whatever the caller sent
 * there.
 */
export function negotiated<Rest extends unknown[]>(
  handler: Handler<Rest>,
  options: Options<Request>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  const full = settings(options);
  return async (request, ...rest) => {
    const kind = sort(request.method);
    if (kind === 'pass') return handler(request, ...rest);
    if (kind !== 'negotiate') return respond(kind);
    const body = await bytes(request.body, full.maxBody);
    if (body === undefined) return respond(tooLarge());
    const raw = {
      httpMethod: request.method,
      headers: [...request.headers] as [string, string][],
      query: new URL(request.url).search.slice(1),
      body,
    };
    const result = await negotiate(full, request, raw);
    if ('answer' in result) return respond(result.answer);
    const { served } = result;
    const response = await handler(forwarded(request, served), ...rest);
    return served.initialize
      ? checked(response, served, full)
      : answered(response, served, full, request.method);
  };
}

function forwarded(request: Request, served: Served): Request {
  const headers = new Headers(request.headers);
  const [name, version] = served.versionHeader;
  if (version !== undefined) headers.set(name, version);
  headers.delete('content-length');
  const hasBody = request.method === 'POST';
  const { method, signal, redirect } = request;
  const inner = new Request(request.url, {
    method,
    headers,
    signal,
    redirect,
    ...(hasBody ? { body: served.body as BodyInit } : {}),
  });
  SETTLEMENTS.set(inner, served.settlement);
  return inner;
}

async function answered(
  response: Response,
  served: Served,
  { sessions }: ReturnType<typeof settings<Request>>,
  method: string,
): Promise<Response> {
  const { sessionId } = served;
  if (sessionId !== undefined && ((method === 'DELETE' && response.ok) || response.status === 404))
    await sessions.drop(sessionId);
  return withHeaders(response, response.body, served);
}

/** The answer to `initialize`, once it is known to name the version decided. */
async function checked(
  response: Response,
  served: Served,
  { sessions, maxBody }: ReturnType<typeof settings<Request>>,
): Promise<Response> {
  const body = await bytes(response.body, maxBody);
  if (body === undefined) return respond(anotherVersion(served));
  const type = response.headers.get('content-type') ?? '';
  const { result, version } = answeredVersion(new TextDecoder().decode(body), type);
  if (result && version !== served.version) return respond(anotherVersion(served));
  const sessionId = response.headers.get('mcp-session-id');
  if (result && sessionId !== null) await sessions.put(sessionId, served.version);
  return withHeaders(response, body.length === 0 ? null : (body as BodyInit), served);
}

function withHeaders(response: Response, body: BodyInit | null, served: Served): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of served.headers) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(body, { status, statusText, headers });
}

function respond({ status, headers, body }: Answer): Response {
  return new Response(body === '' ? null : body, { status, headers });
}

/** The whole of a body; undefined past the limit. */
async function bytes(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (body !== null) {
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > limit) {
        await reader.cancel();
        return undefined;
      }
      chunks.push(value);
    }
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
