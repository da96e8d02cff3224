// Replays vectors in headless Chromium, measures it, and prints one line of figures.
//
//     node replay.mjs --vectors FILE… --component FILE [--settles N] [--threads N]
//
// `--threads N` runs the vectors in N workers of the page at once. Memory is that of the page's
// process. CHROMIUM names another browser than `chromium`.

import { readFileSync } from 'node:fs';
import { filesOf, options } from '../node/replay/options.mjs';
import { opened, rendererMebibytes, serving, version } from './chromium.mjs';

const { paths, component, settles, threads } = options('replay.mjs');
const texts = {
  '/vectors': filesOf(paths).map((file) => readFileSync(file, 'utf8')).join('\n'),
  '/component': readFileSync(component),
};

const figures = { language: 'Browser', runtime: 'Chromium, jco', version: await version() };
let page;
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
