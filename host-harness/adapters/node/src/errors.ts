import type { Fault } from './types.js';

/** Any error of this package. A refusal is no error: it is a decision, with its record. */
export class NegotiatorError extends Error {
  override name = 'NegotiatorError';
}

/** Bytes without the digest that they must have, or that cannot be loaded. */
export class ArtifactError extends NegotiatorError {
  override name = 'ArtifactError';
}

/** Facets or policy settings that break a rule; `faults` lists every one. */
export class FacetsError extends NegotiatorError {
  override name = 'FacetsError';
  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(({ path, problem }) => `${path}: ${problem}`).join('; '));
  }
}

/** A value outside its grammar. `path` names the member; the value is not repeated. */
export class InputError extends NegotiatorError {
  override name = 'InputError';
  constructor(
    readonly path: string,
    readonly problem: string,
  ) {
    super(`${path}: ${problem}`);
  }
}

/** The component failed, and so did the refusal that would have stood for it. */
export class ComponentError extends NegotiatorError {
  override name = 'ComponentError';
}
