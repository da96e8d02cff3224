/** The entry point for browsers: modules by `fetch`, next to this file. */
import { compile } from './component.js';
import { ArtifactError } from './errors.js';
import { Negotiator } from './negotiator.js';
import { PINS } from './pins.js';
import { loaders } from './loaders.js';
import type { DiscoveryDocument, Facets } from './types.js';

export * from './errors.js';
export { Negotiator } from './negotiator.js';
export { PINS };

const { negotiator, pluggable } = loaders((transpiled, instantiate) =>
  compile(transpiled, instantiate, async (name) => {
    const response = await fetch(new URL(`./transpiled/${name}`, import.meta.url));
    if (!response.ok) throw new ArtifactError(`${name} cannot be fetched: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }),
);

export async function load(
  facets: Facets | DiscoveryDocument,
  settings = '',
): Promise<Negotiator> {
  return new Negotiator(await negotiator(), pluggable, facets, settings);
}
