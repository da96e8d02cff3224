/** What every entry point gives. */
export * from './errors.js';
export type * from './types.js';
export { type Component, type Exports } from './component.js';
export { type Facts, Negotiator } from './negotiator.js';
export { PINS } from './pins.js';
import type { Negotiator } from './negotiator.js';
import type { DiscoveryDocument, Facets } from './types.js';

/**
 * Loads the certified component, after a check of its digest, and configures it.
 *
 * `facets`: what this host advertises, or its discovery document. `settings` go to the policy; the
 * default policy takes the empty text only. Throws ArtifactError or FacetsError.
 */
export declare function load(
  facets: Facets | DiscoveryDocument,
  settings?: string,
): Promise<Negotiator>;
