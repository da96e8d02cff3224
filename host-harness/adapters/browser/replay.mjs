// Replays vectors in headless Chromium, measures it, and prints one line of figures.
//
//     node replay.mjs --vectors FILE… --component FILE [--settles N] [--threads N]
//
// `--threads N` runs the vectors in N workers of the page at once. Memory is that of the page's
// process. CHROMIUM names another browser than `chromium`.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { opened, rendererMebibytes, serving, version } from './chromium.mjs';

const { values, positionals } = parseArgs({
  options: {
    vectors: { type: 'string', multiple: true },
    component: { type: 'string' },
    settles: { type: 'string', default: '0' },
    threads: { type: 'string', default: '1' },
  },
  allowPositionals: true,
});
if (!values.vectors || !values.component) {
  console.error('usage: node replay.mjs --vectors FILE… --component FILE');
  process.exit(2);
}
const files = [...values.vectors, ...positionals].flatMap((path) =>
  statSync(path).isDirectory()
    ? readdirSync(path).filter((name) => name.endsWith('.jsonl')).sort().map((n) => join(path, n))
    : [path],
);
const texts = {
  '/vectors': files.map((file) => readFileSync(file, 'utf8')).join('\n'),
  '/component': readFileSync(values.component),
};

const figures = { language: 'Browser', runtime: 'Chromium, jco', version: await version() };
let page;
const { settles, threads } = values;
await new Promise((resolve, reject) => {
  const started = serving(texts, (result) => {
    if (result.part === 'error') reject(new Error(result.text));
    if (result.part === 'replay') {
      console.error(result.failures.join('\n') || 'no difference');
      console.error(`${result.values} of ${result.total} cases as values too`);
      if (threads > 1) console.error(`${threads} workers: ${result.wrongInWorkers} wrong answers`);
      figures.passed = result.passed - (result.wrongInWorkers ? 1 : 0);
      figures.total = result.total;
      figures.settleMicros = Math.round(result.settleMicros * 10) / 10;
      figures.loadMillis = Math.round(result.loadMillis * 10) / 10;
      figures.memoryMiB = rendererMebibytes(page.pid);
    }
    if (result.part === 'before') figures.memoryBeforeMiB = rendererMebibytes(page.pid);
    if (result.part === 'after') figures.memoryAfterMiB = rendererMebibytes(page.pid);
    if (result.part === 'end') resolve();
  });
  started.then(({ url, stop }) => {
    page = opened(`${url}/replay.html?settles=${settles}&threads=${threads}`);
    page.ended.then(([code]) => {
      stop();
      reject(new Error(`the browser ended with ${code}`));
    });
  }, reject);
}).finally(() => page?.stop());
console.log(JSON.stringify(figures));
process.exit(figures.passed === figures.total && figures.total ? 0 : 1);
