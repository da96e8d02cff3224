/**
 * The entry point for Workers. They compile modules when they are deployed and give code no bytes
 * to look at, so digests are checked where the bundle is made (`npm run build`), and the names of
 * the modules carry them.
 */
import { component } from './component.js';
import { Negotiator } from './negotiator.js';
import { PINS } from './pins.js';
import { loaders } from './loaders.js';
import { modules } from './transpiled/modules.js';
import type { DiscoveryDocument, Facets } from './types.js';

export * from './errors.js';
export { Negotiator } from './negotiator.js';
export { PINS };

const { negotiator, pluggable } = loaders(async (transpiled, instantiate) =>
  component(transpiled.digest, instantiate, modules),
);

export async function load(
  facets: Facets | DiscoveryDocument,
  settings = '',
): Promise<Negotiator> {
  return new Negotiator(await negotiator(), pluggable, facets, settings);
}
