/**
 * Components that come at run time: policies, and composed files. They are transpiled here, by
 * the optional peer dependency `@bytecodealliance/jco`.
 */
import { type Component, type Instantiate, component, trusted } from './component.js';
import { ArtifactError } from './errors.js';

/**
 * Transpiles and compiles a component whose SHA-256 is `digest`; throws ArtifactError for any
 * other. Takes tens of milliseconds for a policy written in Rust.
 */
export async function compileComponent(bytes: Uint8Array, digest: string): Promise<Component> {
  const actual = await trusted(bytes, digest);
  const { generate } = await import('@bytecodealliance/jco/component');
  try {
    const { files } = await generate(bytes, {
      name: 'part',
      instantiation: { tag: 'sync' },
      noTypescript: true,
    });
    const modules = new Map<string, WebAssembly.Module>();
    let source = '';
    for (const [name, content] of files) {
      if (name.endsWith('.wasm')) {
        modules.set(name, await WebAssembly.compile(content as BufferSource));
      } else if (name === 'part.js') {
        source = new TextDecoder().decode(content);
      }
    }
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const { instantiate } = (await import(importable(url, source))) as { instantiate: Instantiate };
    URL.revokeObjectURL(url);
    return component(actual, instantiate, modules);
  } catch (error) {
    throw new ArtifactError('the artifact is not a component that can be transpiled', {
      cause: error,
    });
  }
}

/** Node imports no blob URLs, browsers with a content policy often no data URLs. */
function importable(url: string, source: string): string {
  const inNode = typeof process !== 'undefined' && process.versions?.node !== undefined;
  return inNode ? `data:text/javascript,${encodeURIComponent(source)}` : url;
}
