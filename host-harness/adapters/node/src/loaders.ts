/** The two transpiled components, each loaded once and checked against its pin. */
import type { Component, Instantiate, Transpiled } from './component.js';
import { ArtifactError } from './errors.js';
import { PINS } from './pins.js';
import * as parts from './transpiled/index.js';

type Loader = (transpiled: Transpiled, instantiate: Instantiate) => Promise<Component>;

export function loaders(load: Loader): Record<'negotiator' | 'pluggable', () => Promise<Component>> {
  const once = (transpiled: Transpiled, instantiate: Instantiate) => {
    let component: Promise<Component> | undefined;
    return () => {
      if (PINS[transpiled.artifact] !== transpiled.digest)
        throw new ArtifactError('the package was built from another artifact than it pins');
      return (component ??= load(transpiled, instantiate));
    };
  };
  return {
    negotiator: once(parts.negotiator, parts.instantiateNegotiator),
    pluggable: once(parts.pluggable, parts.instantiatePluggable),
  };
}
