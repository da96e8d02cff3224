import { type Component, type Exports, type Settled, demandUnicode } from './component.js';
import { ComponentError, InputError } from './errors.js';
import { Failed, Generation, faultOf } from './generation.js';
import type * as T from './types.js';

/** Anything that can be settled: a message, or an exchange that was read from one before. */
export type Facts = T.Inbound | T.Outbound | T.Exchange;

/**
 * Decides, records and answers. Every call is synchronous and leaves nothing behind, so requests
 * that overlap share one negotiator safely; each worker thread loads its own.
 */
export class Negotiator {
  #current: Generation;
  #previous: Generation | undefined;
  #last = 1;
  #swaps: Promise<unknown> = Promise.resolve();

  /**
   * `load` of the entry point for Node, browsers or Workers is how to get one.
   *
   * Throws FacetsError for facets or settings that break a rule.
   */
  constructor(
    component: Component,
    private readonly pluggable: () => Promise<Component>,
    private readonly facets: T.Facets | T.DiscoveryDocument,
    settings = '',
  ) {
    demandUnicode(facets);
    this.#current = new Generation(1, component, undefined, facets, settings);
  }

  // --- policies ---------------------------------------------------------------------------------

  /**
   * Puts a policy component in charge; gives the number of the new generation.
   *
   * All or nothing: it is instantiated and configured first, and calls see it from then on; when
   * that fails (ArtifactError, FacetsError), nothing has changed. Whatever a policy does, no
   * decision lands below the floor, nor below preferred without authentication: it can only choose
   * among the legal candidates, or deny. But nothing here can stop a policy that never ends: run a
   * negotiator with such a policy in a worker thread.
   */
  swapPolicy(policy: Component, settings = ''): Promise<number> {
    return this.#swap(async () => [await this.pluggable(), policy], settings);
  }

  /**
   * The same with a negotiator and policy in one file, as `negotiator compose` makes it. Such a
   * file takes the place of the certified component: pin the digest of one that was reviewed.
   */
  swapComponent(composed: Component, settings = ''): Promise<number> {
    return this.#swap(async () => [composed, undefined], settings);
  }

  /** Puts the generation before this one back in charge, at once; it was kept warm. */
  rollback(): number {
    if (this.#previous === undefined)
      throw new ComponentError('there is no generation before this one to go back to');
    [this.#current, this.#previous] = [this.#previous, this.#current];
    return this.#current.number;
  }

  #swap(
    parts: () => Promise<[Component, Component | undefined]>,
    settings: string,
  ): Promise<number> {
    const swapped = this.#swaps.then(async () => {
      const [component, policy] = await parts();
      demandUnicode(settings);
      const next = new Generation(this.#last + 1, component, policy, this.facets, settings);
      this.#last = next.number;
      this.#previous = this.#current;
      // One reference is replaced: a call sees the old generation or the new one.
      this.#current = next;
      return next.number;
    });
    this.#swaps = swapped.catch(() => undefined);
    return swapped;
  }

  /** The number of the generation in charge, from 1. */
  get generation(): number {
    return this.#current.number;
  }

  // --- reading ----------------------------------------------------------------------------------

  /** Reads what a caller named. What cannot be read is no error, but refused later. */
  readInbound(message: T.Inbound): T.Exchange {
    demandUnicode(message);
    return this.#plain((exports) => exports.wire.readInbound(message));
  }

  /** Reads what is known before a call to a peer. */
  readOutbound(message: T.Outbound): T.Exchange {
    demandUnicode(message);
    return this.#plain((exports) => exports.wire.readOutbound(message));
  }

  // --- deciding ---------------------------------------------------------------------------------

  /**
   * Decides, records and answers; the one that hosts should use. Make `entry` durable, then act on
   * `decision`; if that fails, send `notDurable`. A policy that fails is a refusal with its record
   * (`policy-failed`), not an error. Throws InputError for a context member outside its grammar.
   */
  settle(facts: Facts, context: T.Context): T.Settlement {
    demandUnicode([facts, context]);
    const generation = this.#current;
    try {
      return signed(
        generation,
        generation.use((exports) => exports.record.settle(read(exports, facts), context)),
      );
    } catch (error) {
      if (error instanceof Failed) return refuse(generation, facts, context, 'policy-failed');
      throw error;
    }
  }

  /** Refuses without asking the policy, with the record that belongs to it. */
  refuse(facts: Facts, context: T.Context, refusal: T.HostRefusal): T.Settlement {
    demandUnicode([facts, context]);
    return refuse(this.#current, facts, context, refusal);
  }

  /** Decides only. Do not act on a decision without its record (RFC 0175 §D.3). */
  decide(facts: Facts): T.Decision {
    demandUnicode(facts);
    const generation = this.#current;
    try {
      return generation.use((exports) => exports.negotiate.decide(read(exports, facts)));
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      return refuse(generation, facts, { at: '1970-01-01T00:00:00Z' }, 'policy-failed').decision;
    }
  }

  /** Decides many exchanges in one call, in order; for replays. */
  decideMany(exchanges: T.Exchange[]): T.Decision[] {
    demandUnicode(exchanges);
    return this.#plain((exports) => exports.negotiate.decideMany(exchanges));
  }

  /** Builds the record of a decision made earlier by `decide`. */
  build(exchange: T.Exchange, decision: T.Decision, context: T.Context): T.Entry {
    demandUnicode([exchange, decision, context]);
    return this.#plain((exports) => exports.record.build(exchange, decision, context));
  }

  // --- answering --------------------------------------------------------------------------------

  /** The reply to a decision made earlier by `decide`. */
  reply(exchange: T.Exchange, decision: T.Decision, runId?: string): T.Reply {
    demandUnicode([exchange, decision, runId]);
    return this.#plain((exports) => exports.answer.build(exchange, decision, runId));
  }

  /** The reply when the record could not be made durable: 503, nothing is served (R15). */
  notDurable(facts: Facts): T.Reply {
    demandUnicode(facts);
    return this.#plain((exports) => exports.answer.notDurable(read(exports, facts)));
  }

  // --- small rules ------------------------------------------------------------------------------

  /** SHA-256 of a URL's origin, 64 hex digits; undefined for one that is not a tuple (R8). */
  digestOrigin(url: string): string | undefined {
    demandUnicode(url);
    return this.#plain((exports) => exports.record.digestOrigin(url));
  }

  /** Checks a discovery document (JSON text) at `now` (RFC 3339); no finding: it passes. */
  check(document: string, now: string): T.Finding[] {
    demandUnicode([document, now]);
    return this.#plain((exports) => exports.advertise.check(document, now));
  }

  /** Whether offers of `refreshedAt` (`YYYY-MM-DD`) are fresh at `now` (R13). */
  fresh(refreshedAt: string, now: string): boolean {
    demandUnicode([refreshedAt, now]);
    return this.#plain((exports) => exports.advertise.fresh(refreshedAt, now));
  }

  /** The version of the card for a GET that names none (RFC 0175 §C.3). */
  cardVersion(): string | undefined {
    return this.#plain((exports) => exports.advertise.cardVersion());
  }

  /** Whether one more round may be sent (RFC 0175 §E.4); `maxRounds` lies in 1..16. */
  admitRound(maxRounds: number, inputRequiredSeen: number): T.Round {
    return this.#plain((exports) => exports.advertise.admitRound(maxRounds, inputRequiredSeen));
  }

  /** The A2A task state of a run status (RFC 0175 §E.2). */
  taskState(status: string): string {
    demandUnicode(status);
    return this.#plain((exports) => exports.advertise.taskState(status));
  }

  // --- plain JSON -------------------------------------------------------------------------------

  /**
   * One request of the JSON contract, as text: whether it was answered, and the text. `operation`
   * is a function of the `json` interface but `configure`; a request without `facets` has those of
   * this negotiator.
   */
  call(operation: string, request: string): [boolean, string] {
    if (operation === 'configure')
      throw new InputError('operation', 'must not be configure: give facets to load');
    return this.#plain((exports) => callJson(exports, operation, request));
  }

  #plain<Value>(call: (exports: Exports) => Value): Value {
    try {
      return this.#current.use(call);
    } catch (error) {
      if (error instanceof Failed)
        throw new ComponentError('the component failed, and was thrown away', { cause: error });
      throw error;
    }
  }
}

/** One JSON request to an instance. */
export function callJson(exports: Exports, operation: string, request: string): [boolean, string] {
  demandUnicode(request);
  const name = operation.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const ask = Object.hasOwn(exports.json, name) ? exports.json[name] : undefined;
  if (ask === undefined) throw new InputError('operation', 'must be one of the JSON contract');
  try {
    return [true, ask(request)];
  } catch (thrown) {
    const text = faultOf(thrown);
    if (typeof text === 'string') return [false, text];
    throw thrown;
  }
}

function refuse(
  generation: Generation,
  facts: Facts,
  context: T.Context,
  refusal: T.HostRefusal,
): T.Settlement {
  try {
    return signed(
      generation,
      generation.use((exports) => exports.record.refuse(read(exports, facts), context, refusal)),
    );
  } catch (error) {
    if (error instanceof Failed)
      throw new ComponentError('the component failed to refuse; serve nothing', { cause: error });
    throw error;
  }
}

function read(exports: Exports, facts: Facts): T.Exchange {
  if ('httpMethod' in facts) return exports.wire.readInbound(facts);
  if ('listing' in facts) return exports.wire.readOutbound(facts);
  return facts;
}

function signed(generation: Generation, settled: Settled): T.Settlement {
  return { ...settled, generation: generation.number, policy: generation.digest };
}
