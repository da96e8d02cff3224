// Writes the modules of a Worker as a configuration of workerd.
//
//     node scripts/bundle.mjs
//
// Workers give code no bytes of a module to look at, so this is where digests are checked: every
// module that is bundled has the SHA-256 that the package was built with, and the package the one
// that it pins. wrangler bundles the same files through the `workerd` entry of the package.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const HERE = join(dirname(fileURLToPath(import.meta.url)), '..');
const PACKAGE = join(HERE, '..', 'node');
const LIB = [
  'component.js',
  'errors.js',
  'generation.js',
  'http/exchange.js',
  'http/fetch.js',
  'http/message.js',
  'http/sessions.js',
  'loaders.js',
  'negotiator.js',
  'pins.js',
  'transpiled/index.js',
  'transpiled/modules.js',
  'transpiled/negotiator.js',
  'transpiled/pluggable.js',
  'workerd.js',
];

/** Every wasm module of the package; throws when one is not what it should be. */
export async function verified() {
  if (!existsSync(join(PACKAGE, 'lib')))
    throw new Error('build the package first: npm run build in ../node');
  const lib = (name) => import(pathToFileURL(join(PACKAGE, 'lib', name)));
  const [{ PINS }, parts] = await Promise.all([lib('pins.js'), lib('transpiled/index.js')]);
  const names = [];
  for (const { artifact, digest, modules } of [parts.negotiator, parts.pluggable]) {
    if (PINS[artifact] !== digest) throw new Error(`${artifact} is not the one that is pinned`);
    for (const [name, expected] of Object.entries(modules)) {
      const bytes = readFileSync(join(PACKAGE, 'lib', 'transpiled', name));
      if (createHash('sha256').update(bytes).digest('hex') !== expected)
        throw new Error(`${name} is not the module that the package was built with`);
      names.push(`transpiled/${name}`);
    }
  }
  return names;
}

/** One worker: its entry, then the package under its own name. */
function worker(main, wasm) {
  const out = join(HERE, 'build');
  const path = (file) => relative(out, file);
  const module = (name, kind, file) => `    (name = "${name}", ${kind} = embed "${path(file)}")`;
  const at = (name) => `@openwop/negotiator/${name}`;
  const entries = [
    module('main', 'esModule', main),
    '    (name = "@openwop/negotiator", esModule = "export * from \'./negotiator/lib/workerd.js\';")',
    '    (name = "@openwop/negotiator/fetch", esModule = "export * from \'./lib/http/fetch.js\';")',
    ...LIB.map((name) => module(at(`lib/${name}`), 'esModule', join(PACKAGE, 'lib', name))),
    ...wasm.map((name) => module(at(`lib/${name}`), 'wasm', join(PACKAGE, 'lib', name))),
    module(at('replay/judge.mjs'), 'esModule', join(PACKAGE, 'replay', 'judge.mjs')),
  ];
  return `  modules = [\n${entries.join(',\n')},\n  ],\n  compatibilityDate = "2026-11-01",\n`;
}

/** Writes build/NAME.capnp with a socket `http` on a port that the command line gives. `main` is the
 * worker's entry; but for the replay, there is an upstream behind it. */
export async function bundle(name, main = join(HERE, 'src', `${name}.mjs`)) {
  const wasm = await verified();
  const example = name !== 'replay';
  const bindings = example
    ? `  bindings = [
    (name = "UPSTREAM", service = "behind"),
    (name = "JOURNAL", service = "behind"),
    (name = "CREDENTIAL", text = "demo"),
  ],\n`
    : '';
  const behind = `const behind :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "../src/journal.mjs")],
  compatibilityDate = "2026-11-01",
);\n`;
  const services = ['(name = "main", worker = .main)'];
  const sockets = ['(name = "http", address = "127.0.0.1:0", http = (), service = "main")'];
  if (example) {
    services.push('(name = "behind", worker = .behind)');
    sockets.push('(name = "behind", address = "127.0.0.1:0", http = (), service = "behind")');
  }
  const text = `# Made by scripts/bundle.mjs.
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${services.join(', ')}],
  sockets = [${sockets.join(', ')}],
${example ? '' : '  # The replay collects garbage before memory is measured.\n  v8Flags = ["--expose-gc"],\n'});
${example ? behind : ''}const main :Workerd.Worker = (
${worker(main, wasm)}${bindings});
`;
  mkdirSync(join(HERE, 'build'), { recursive: true });
  const path = join(HERE, 'build', `${name}.capnp`);
  writeFileSync(path, text);
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of ['worker', 'replay']) console.log(await bundle(name));
