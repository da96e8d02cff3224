// Replays vectors through this package, measures it, and prints one line of figures.
//
//     node replay/node.mjs --vectors FILE… --component FILE [--settles N] [--threads N]
//
// A FILE is JSON lines as tests/vectors/README.md describes, or adapters/cases.jsonl; a folder
// stands for its *.jsonl files. The last line of the output is a JSON object.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { load } from '@openwop/negotiator';
import { compileComponent } from '@openwop/negotiator/policy';
import { callJson } from '../lib/negotiator.js';
import { PINS } from '../lib/pins.js';
import { sha256 } from '../lib/component.js';
import { START, judge, median, parse, replay, requestOf, settleMany } from './judge.mjs';
import { filesOf, options } from './options.mjs';

const mebibytes = () => Math.round((process.memoryUsage.rss() / 2 ** 20) * 10) / 10;

/** Checks that the component is the pinned one, and gives `configure` on a bare instance of it. */
async function bare(path) {
  const bytes = readFileSync(path);
  const digest = await sha256(bytes);
  if (digest !== PINS[basename(path)]) throw new Error('the component is not the pinned one');
  const { instantiate } = await compileComponent(bytes, digest);
  return (request) => callJson(instantiate({}), 'configure', request);
}

const read = (paths) => filesOf(paths).flatMap((file) => parse(readFileSync(file, 'utf8')));

async function inWorker({ paths, offset }) {
  const cases = read(paths).filter(({ op }) => op !== 'configure');
  const negotiator = await load(START);
  const turned = [...cases.slice(offset * 7), ...cases.slice(0, offset * 7)];
  return turned.filter((case_) =>
    judge(case_, ...negotiator.call(case_.op, requestOf(case_))).length,
  ).length;
}

async function inParallel(paths, threads) {
  const runs = Array.from({ length: threads }, (_, offset) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { paths, offset } });
    return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  });
  const wrong = (await Promise.all(runs)).reduce((sum, count) => sum + count, 0);
  console.error(`${threads} workers at once: ${wrong} wrong answers`);
  return wrong;
}

async function main() {
  const { paths, ...values } = options('replay/node.mjs');
  const start = performance.now();
  const negotiator = await load(START);
  const loadMillis = Math.round((performance.now() - start) * 10) / 10;
  const cases = read(paths);
  const result = await replay(cases, load, await bare(values.component));
  console.error(result.failures.join('\n') || 'no difference');
  console.error(`${result.values} of ${result.total} cases as values too`);
  const threads = Number(values.threads);
  if (threads > 1 && (await inParallel(paths, threads))) result.passed -= 1;
  const figures = {
    language: 'Node',
    runtime: `Node ${process.versions.node}, jco`,
    version: '1.13.0',
    passed: result.passed,
    total: result.total,
    settleMicros: Math.round(median(result.times) * 10_000) / 10,
    loadMillis,
    memoryMiB: mebibytes(),
  };
  const settles = Number(values.settles);
  if (settles) {
    settleMany(negotiator, cases, Math.min(settles, 200_000));
    globalThis.gc?.();
    figures.memoryBeforeMiB = mebibytes();
    settleMany(negotiator, cases, settles);
    globalThis.gc?.();
    figures.memoryAfterMiB = mebibytes();
  }
  console.log(JSON.stringify(figures));
  return result.passed === result.total && result.total ? 0 : 1;
}

if (isMainThread) process.exitCode = await main();
else parentPort.postMessage(await inWorker(workerData));
