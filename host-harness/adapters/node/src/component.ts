/** What a transpiled component is, and how its modules are trusted. */

import { ArtifactError, InputError } from './errors.js';
import type * as T from './types.js';

/** The exports of the negotiator, as the transpiler gives them. */
export interface Exports {
  wire: {
    readInbound(message: T.Inbound): T.Exchange;
    readOutbound(message: T.Outbound): T.Exchange;
  };
  negotiate: {
    configure(facets: T.Facets, settings: string): void;
    decide(exchange: T.Exchange): T.Decision;
    decideMany(exchanges: T.Exchange[]): T.Decision[];
  };
  record: {
    settle(exchange: T.Exchange, context: T.Context): Settled;
    refuse(exchange: T.Exchange, context: T.Context, refusal: T.HostRefusal): Settled;
    build(exchange: T.Exchange, decision: T.Decision, context: T.Context): T.Entry;
    digestOrigin(url: string): string | undefined;
  };
  answer: {
    build(exchange: T.Exchange, decision: T.Decision, runId: string | undefined): T.Reply;
    notDurable(exchange: T.Exchange): T.Reply;
  };
  advertise: {
    check(document: string, now: string): T.Finding[];
    fresh(refreshedAt: string, now: string): boolean;
    cardVersion(): string | undefined;
    admitRound(maxRounds: number, inputRequiredSeen: number): T.Round;
    taskState(status: string): string;
  };
  json: Record<string, (request: string) => string>;
}

/** A settlement as the component gives it. */
export type Settled = Omit<T.Settlement, 'generation' | 'policy'>;

/** The exports of a policy, as the transpiler gives them. */
export interface PolicyExports {
  policy: { configure(settings: string): void; judge(proposal: unknown): unknown };
}

/** Makes one instance from core modules by name; what the transpiler writes. */
export type Instantiate = (
  module: (path: string) => WebAssembly.Module,
  imports: Record<string, unknown>,
) => unknown;

/** A component that is trusted and compiled; instances of it are cheap. */
export interface Component {
  /** SHA-256 of the component, 64 hex digits. */
  readonly digest: string;
  instantiate(imports: Record<string, unknown>): unknown;
}

/** A component that was transpiled, and its modules with their digests. */
export interface Transpiled {
  artifact: string;
  digest: string;
  modules: Readonly<Record<string, string>>;
}

/** SHA-256, 64 hex digits. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  if (globalThis.crypto?.subtle === undefined)
    throw new ArtifactError('there is no crypto.subtle here to check digests with: use HTTPS');
  const digest = await crypto.subtle.digest('SHA-256', bytes as BufferSource);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Takes bytes if their SHA-256 is `digest` (`sha256:` in front is fine); else ArtifactError. */
export async function trusted(bytes: Uint8Array, digest: string): Promise<string> {
  const actual = await sha256(bytes);
  if (actual !== digest.replace(/^sha256:/, '').toLowerCase())
    throw new ArtifactError(
      `the artifact has the SHA-256 ${actual}, not the one that is pinned: ` +
        'take the file that was reviewed, or pin this one after a review',
    );
  return actual;
}

/** Compiles the modules of a transpiled component after a check of each. */
export async function compile(
  transpiled: Transpiled,
  instantiate: Instantiate,
  read: (name: string) => Promise<Uint8Array>,
): Promise<Component> {
  const modules = new Map<string, WebAssembly.Module>();
  for (const [name, digest] of Object.entries(transpiled.modules)) {
    const bytes = await read(name);
    await trusted(bytes, digest);
    modules.set(name, await WebAssembly.compile(bytes as BufferSource));
  }
  return component(transpiled.digest, instantiate, modules);
}

/** A component of modules that are compiled already. */
export function component(
  digest: string,
  instantiate: Instantiate,
  modules: ReadonlyMap<string, WebAssembly.Module>,
): Component {
  const module = (path: string) => {
    const found = modules.get(path);
    if (found === undefined) throw new ArtifactError('a module of the component is missing');
    return found;
  };
  return { digest, instantiate: (imports) => instantiate(module, imports) };
}

/** Refuses texts with lone surrogates, which UTF-8 cannot hold, at any depth. */
export function demandUnicode(value: unknown): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed())
      throw new InputError('request', 'must be Unicode text, without lone surrogates');
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) demandUnicode(member);
  }
}
