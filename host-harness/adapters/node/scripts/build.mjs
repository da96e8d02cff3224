// Builds `lib/`: transpiles the pinned components, then compiles the TypeScript.
//
//     node scripts/build.mjs
//
// A changed byte in dist/ is an error here: review it, then pin it in src/pins.ts
// (`cargo xtask dist` does that).

import { generate } from '@bytecodealliance/jco/component';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = join(dirname(fileURLToPath(import.meta.url)), '..');
const DIST = join(HERE, '..', '..', '..', 'dist');
const LIB = join(HERE, 'lib');
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const PARTS = { negotiator: 'negotiator.wasm', pluggable: 'negotiator-pluggable.wasm' };

const pins = readFileSync(join(HERE, 'src', 'pins.ts'), 'utf8');
const pinned = (artifact) => pins.match(new RegExp(`'${artifact}': '([0-9a-f]{64})'`))?.[1];

rmSync(LIB, { recursive: true, force: true });
const transpiled = join(LIB, 'transpiled');
mkdirSync(transpiled, { recursive: true });

let index = '// Made by scripts/build.mjs.\n';
let types = "import type { Instantiate, Transpiled } from '../component.js';\n";
const modules = [];
for (const [part, artifact] of Object.entries(PARTS)) {
  const bytes = readFileSync(join(DIST, artifact));
  const digest = sha256(bytes);
  if (digest !== pinned(artifact))
    throw new Error(`dist/${artifact} has the SHA-256 ${digest}, which src/pins.ts does not pin`);
  const { files } = await generate(bytes, {
    name: part,
    instantiation: { tag: 'sync' },
    noTypescript: true,
  });
  const digests = {};
  for (const [name, content] of files) {
    writeFileSync(join(transpiled, name), content);
    if (!name.endsWith('.wasm')) continue;
    digests[name] = sha256(content);
    modules.push(name);
  }
  const facts = { artifact, digest, modules: digests };
  const exported = `instantiate${part[0].toUpperCase()}${part.slice(1)}`;
  index += `export const ${part} = ${JSON.stringify(facts, null, 2)};\n`;
  index += `export { instantiate as ${exported} } from './${part}.js';\n`;
  types += `export declare const ${part}: Transpiled;\n`;
  types += `export declare const ${exported}: Instantiate;\n`;
}
writeFileSync(join(transpiled, 'index.js'), index);
writeFileSync(join(transpiled, 'index.d.ts'), types);

// For runtimes that import modules as such.
const imports = modules.map((name, n) => `import module${n} from './${name}';\n`).join('');
const entries = modules.map((name, n) => `  ['${name}', module${n}],\n`).join('');
writeFileSync(
  join(transpiled, 'modules.js'),
  `// Made by scripts/build.mjs.\n${imports}export const modules = new Map([\n${entries}]);\n`,
);
writeFileSync(
  join(transpiled, 'modules.d.ts'),
  'export declare const modules: ReadonlyMap<string, WebAssembly.Module>;\n',
);

const tsc = join(HERE, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '--project', HERE], { stdio: 'inherit' });
