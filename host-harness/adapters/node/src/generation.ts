/** What a negotiator runs on between two swaps: components, configuration, and an instance. */

import { type Component, type Exports, type PolicyExports } from './component.js';
import { ArtifactError, FacetsError, InputError } from './errors.js';
import type { DiscoveryDocument, Facets, Fault } from './types.js';

/** The instance trapped or its policy failed; it is gone already. */
export class Failed extends Error {}

/** A policy threw; wrapped, so that it cannot be taken for anything else. */
class PolicyFailure extends Error {}

export class Generation {
  #instance: Exports | undefined;

  /** Instantiates and configures once, so that what is wrong shows here. */
  constructor(
    readonly number: number,
    readonly component: Component,
    readonly policy: Component | undefined,
    readonly facets: Facets | DiscoveryDocument,
    readonly settings: string,
  ) {
    this.#instance = this.#make();
  }

  get digest(): string {
    return (this.policy ?? this.component).digest;
  }

  /**
   * Runs `call` on the instance. Throws InputError for a fault that the component found, Failed
   * if the instance failed; the next call has a new one then.
   */
  use<Value>(call: (exports: Exports) => Value): Value {
    this.#instance ??= this.#make();
    try {
      return call(this.#instance);
    } catch (thrown) {
      const payload = faultOf(thrown);
      if (payload !== undefined) {
        const { path, problem } = payload as Fault;
        throw new InputError(path, problem);
      }
      if (thrown instanceof InputError) throw thrown;
      // Whatever it was, the instance may have been left in the middle of something.
      this.#instance = undefined;
      if (isFailure(thrown)) throw new Failed('the component failed', { cause: thrown });
      throw thrown;
    }
  }

  #make(): Exports {
    let exports: Exports;
    try {
      const imports = this.policy === undefined ? {} : linked(this.policy);
      exports = this.component.instantiate(imports) as Exports;
      if (exports.negotiate === undefined || exports.record === undefined)
        throw new ArtifactError('the component must export the interfaces of the contract');
    } catch (error) {
      if (error instanceof ArtifactError) throw error;
      throw new ArtifactError(
        'the component cannot be instantiated: it must import nothing but the policy',
        { cause: error },
      );
    }
    try {
      configure(exports, this.facets, this.settings);
    } catch (thrown) {
      const faults = faultOf(thrown);
      if (Array.isArray(faults)) throw new FacetsError(faults as Fault[]);
      if (thrown instanceof FacetsError) throw thrown;
      if (isFailure(thrown))
        throw new ArtifactError('the component or its policy failed while it was configured', {
          cause: thrown,
        });
      throw thrown;
    }
    return exports;
  }
}

function configure(
  exports: Exports,
  facets: Facets | DiscoveryDocument,
  settings: string,
): void {
  if ([facets.a2a, facets.mcp].some((facet) => facet !== undefined && 'offered' in facet)) {
    exports.negotiate.configure(facets as Facets, settings);
    return;
  }
  try {
    exports.json.configure?.(JSON.stringify({ facets, settings }));
  } catch (thrown) {
    const text = faultOf(thrown);
    if (typeof text !== 'string') throw thrown;
    const { error } = JSON.parse(text);
    throw new FacetsError(error.faults ?? [{ path: error.path, problem: error.problem }]);
  }
}

/** The imports of the negotiator: a policy of its own. Its failures end the call that asked. */
function linked(policy: Component): Record<string, unknown> {
  const exports = policy.instantiate({}) as PolicyExports;
  if (exports.policy === undefined)
    throw new ArtifactError('the policy must export the policy interface');
  const guarded =
    <Argument, Value>(ask: (argument: Argument) => Value) =>
    (argument: Argument): Value => {
      try {
        return ask(argument);
      } catch (thrown) {
        // An error of its settings is the policy's own answer.
        if (faultOf(thrown) !== undefined) throw thrown;
        throw new PolicyFailure('the policy failed', { cause: thrown });
      }
    };
  const { configure, judge } = exports.policy;
  return {
    'openwop:negotiation/policy': { configure: guarded(configure), judge: guarded(judge) },
  };
}

/** The error of a `result`: the transpiled code throws it as `payload`. */
export function faultOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.constructor.name === 'ComponentError'
    ? (thrown as Error & { payload?: unknown }).payload
    : undefined;
}

function isFailure(thrown: unknown): boolean {
  return (
    thrown instanceof WebAssembly.RuntimeError ||
    thrown instanceof PolicyFailure ||
    // The stack of the engine ran out.
    thrown instanceof RangeError ||
    // What a component wrote had not the shape of its type.
    thrown instanceof TypeError
  );
}
