/** JSON-RPC messages, read without losing what the peer wrote. */

const META = 'io.modelcontextprotocol/protocolVersion';

/** Answered before any negotiation; `code` and `message` are those of JSON-RPC. */
export class Unreadable extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** What of a JSON-RPC message counts here; `id` and `params` are JSON texts. */
export interface Message {
  id: string;
  method?: string;
  params?: string;
}

/**
 * Reads a body; throws Unreadable: not JSON, a batch, or `method` and such given twice. Params keep
 * their text, as a member that stands there twice must be seen by the component.
 */
export function readMessage(body: Uint8Array): Message {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    value = JSON.parse(text);
  } catch {
    throw new Unreadable(-32700, 'Parse error');
  }
  const members = isObject(value) ? memberTexts(text) : undefined;
  if (members === undefined) throw new Unreadable(-32600, 'Invalid Request');
  const { id, method } = value as Record<string, unknown>;
  const message: Message = {
    id: typeof id === 'string' || typeof id === 'number' ? (members.get('id') ?? 'null') : 'null',
  };
  // A lone surrogate becomes U+FFFD: such a method is none that anybody knows.
  if (typeof method === 'string') message.method = method.toWellFormed();
  const params = members.get('params');
  if (params !== undefined) message.params = params;
  return message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^,}\] \t\r\n]+/y;

/** The members of a JSON object (known to be JSON) with their texts; undefined: a name twice. */
function memberTexts(text: string): Map<string, string> | undefined {
  const members = new Map<string, string>();
  let at = after(SPACE, text, 0) + 1;
  for (;;) {
    at = after(SPACE, text, at);
    if (text[at] === '}') return members;
    const name = after(STRING, text, at);
    const key = JSON.parse(text.slice(at, name)) as string;
    const start = after(SPACE, text, after(SPACE, text, name) + 1);
    const end = valueEnd(text, start);
    if (members.has(key)) return undefined;
    members.set(key, text.slice(start, end));
    at = after(SPACE, text, end);
    if (text[at] === ',') at += 1;
  }
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const letter = text[at];
    if (letter === '"') at = after(STRING, text, at);
    else if (letter === '{' || letter === '[') (depth += 1), (at += 1);
    else if (letter === '}' || letter === ']') (depth -= 1), (at += 1);
    else if (depth > 0 && (letter === ',' || letter === ':')) at += 1;
    else at = after(SCALAR, text, at);
    if (depth > 0) at = after(SPACE, text, at);
  } while (depth > 0);
  return at;
}

/** Where the text goes on behind what `pattern` takes from `at`. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) throw new Unreadable(-32700, 'Parse error');
  return pattern.lastIndex;
}

/** An `initialize` that names `version`, wherever it names one. */
export function withVersion(body: Uint8Array, version: string): Uint8Array {
  const message = JSON.parse(new TextDecoder().decode(body));
  if (!isObject(message.params)) message.params = {};
  message.params.protocolVersion = version;
  const meta = message.params._meta;
  if (isObject(meta) && Object.hasOwn(meta, META)) meta[META] = version;
  return new TextEncoder().encode(JSON.stringify(message));
}

/**
 * Whether an answer to `initialize` is a result, and the version in it. Reads a JSON body, or the
 * JSON-RPC responses of an event stream.
 */
export function answeredVersion(
  body: string,
  contentType: string,
): { result: boolean; version?: unknown } {
  const stream = /^\s*text\/event-stream\s*(;|$)/i.test(contentType);
  const texts = stream
    ? body
        .replaceAll('\r\n', '\n')
        .split('\n\n')
        .map((event) =>
          event
            .split('\n')
            .filter((line) => line.startsWith('data:'))
            .map((line) => line.slice(5).trimStart())
            .join('\n'),
        )
    : [body];
  for (const text of texts) {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      continue;
    }
    if (isObject(message) && 'result' in message) {
      const { result } = message;
      return { result: true, version: isObject(result) ? result.protocolVersion : undefined };
    }
  }
  return { result: false };
}
