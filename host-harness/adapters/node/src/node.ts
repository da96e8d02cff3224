/** The entry point for Node (and Bun, and Deno): modules from this package's folder. */
import { readFile } from 'node:fs/promises';
import { compile } from './component.js';
import { Negotiator } from './negotiator.js';
import { PINS } from './pins.js';
import { loaders } from './loaders.js';
import type { DiscoveryDocument, Facets } from './types.js';

export * from './errors.js';
export { Negotiator } from './negotiator.js';
export { PINS };

const { negotiator, pluggable } = loaders((transpiled, instantiate) =>
  compile(transpiled, instantiate, (name) =>
    readFile(new URL(`./transpiled/${name}`, import.meta.url)),
  ),
);

export async function load(
  facets: Facets | DiscoveryDocument,
  settings = '',
): Promise<Negotiator> {
  return new Negotiator(await negotiator(), pluggable, facets, settings);
}
