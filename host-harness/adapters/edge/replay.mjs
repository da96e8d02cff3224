// Replays vectors in a Worker, measures it from outside, and prints one line of figures.
//
//     node replay.mjs --vectors FILE… --component FILE [--settles N] [--threads N]
//
// Clocks stand still inside a Worker, so `settleMicros` is a mean here: many settlements in one
// request, divided. `--threads N` sends N requests at once; a Worker has no threads.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { PINS } from '../node/lib/pins.js';
import { filesOf, options } from '../node/replay/options.mjs';
import { running } from './scripts/run.mjs';

const { paths, component, ...values } = options('replay.mjs');
const digest = createHash('sha256').update(readFileSync(component)).digest('hex');
if (digest !== PINS[basename(component)]) throw new Error('not the pinned component');

const vectors = filesOf(paths).map((file) => readFileSync(file, 'utf8')).join('\n');
const start = performance.now();
const { urls, pid, stop } = await running('replay', ['http']);
const ask = async (path, body) =>
  (await fetch(urls.http + path, { method: 'POST', body })).json();

function mebibytes() {
  const [, kibibytes] = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/);
  return Math.round((Number(kibibytes) / 1024) * 10) / 10;
}

let figures;
try {
  await ask('/vectors', vectors);
  const loadMillis = Math.round((performance.now() - start) * 10) / 10;
  const result = await ask('/replay');
  console.error(result.failures.join('\n') || 'no difference');
  console.error(`${result.values} of ${result.total} cases as values too`);
  let { passed } = result;
  const threads = Number(values.threads);
  if (threads > 1) {
    const all = await Promise.all(Array.from({ length: threads }, () => ask('/replay')));
    const wrong = all.reduce((sum, { failures }) => sum + failures.length, 0);
    console.error(`${threads} requests at once: ${wrong} wrong answers`);
    if (wrong) passed -= 1;
  }
  const time = async (count) => {
    const before = performance.now();
    await ask(`/settles?count=${count}`);
    return performance.now() - before;
  };
  const settleMicros = Math.round(((await time(20_000)) - (await time(0))) / 2) / 10;
  figures = {
    language: 'Edge',
    runtime: 'workerd, jco',
    version: createRequire(import.meta.url)('workerd/package.json').version,
    passed,
    total: result.total,
    settleMicros,
    loadMillis,
    memoryMiB: mebibytes(),
  };
  const left = Number(values.settles);
  if (left) {
    const settle = async (count) => {
      for (let todo = count; todo > 0; todo -= 50_000)
        await ask(`/settles?count=${Math.min(todo, 50_000)}`);
    };
    // The heap of the engine finds its size first.
    await settle(300_000);
    figures.memoryBeforeMiB = mebibytes();
    await settle(left);
    figures.memoryAfterMiB = mebibytes();
  }
} finally {
  await stop();
}
console.log(JSON.stringify(figures));
process.exitCode = figures.passed === figures.total && figures.total ? 0 : 1;
