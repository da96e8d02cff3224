// Replays vectors in a page, or in a worker of it, and posts what came out.

import { load } from '/node/lib/browser.js';
import { callJson } from '/node/lib/negotiator.js';
import { sha256 } from '/node/lib/component.js';
import { PINS } from '/node/lib/pins.js';
import { instantiateNegotiator, negotiator as transpiled } from '/node/lib/transpiled/index.js';
import {
  START,
  judge,
  median,
  parse,
  replay,
  requestOf,
  settleMany,
} from '/node/replay/judge.mjs';

const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
const cases = async () => parse(new TextDecoder().decode(await bytes('/vectors')));
const post = (value) => fetch('/result', { method: 'POST', body: JSON.stringify(value) });

/** `configure` on a bare instance. */
async function bare() {
  const modules = {};
  for (const name of Object.keys(transpiled.modules))
    modules[name] = await WebAssembly.compile(await bytes(`/node/lib/transpiled/${name}`));
  const exports = instantiateNegotiator((name) => modules[name], {});
  return (request) => callJson(exports, 'configure', request);
}

async function inPage({ settles, threads }) {
  if ((await sha256(await bytes('/component'))) !== PINS['negotiator.wasm'])
    throw new Error('the component is not the pinned one');
  const start = performance.now();
  const negotiator = await load(START);
  const loadMillis = performance.now() - start;
  const all = await cases();
  const { times, ...result } = await replay(all, load, await bare());
  if (threads > 1) {
    const runs = Array.from({ length: threads }, (_, offset) => {
      const worker = new Worker(import.meta.url, { type: 'module' });
      worker.postMessage(offset);
      return new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
      });
    });
    result.wrongInWorkers = (await Promise.all(runs)).reduce((sum, count) => sum + count, 0);
  }
  // A page's clock is coarse: many at once, divided.
  const many = performance.now();
  settleMany(negotiator, all, 20_000);
  const settleMicros = (performance.now() - many) / 20;
  await post({ part: 'replay', ...result, settleMicros, medianMillis: median(times), loadMillis });
  if (settles) {
    const settle = async (count) => {
      for (let left = count; left > 0; left -= 50_000) {
        settleMany(negotiator, all, Math.min(left, 50_000));
        // Lets the page's other work have a turn.
        await new Promise((resume) => setTimeout(resume));
      }
      globalThis.gc?.();
    };
    // The heap of the engine finds its size first.
    await settle(300_000);
    await post({ part: 'before' });
    await settle(settles);
    await post({ part: 'after' });
  }
  await post({ part: 'end' });
}

if (typeof document === 'undefined') {
  self.onmessage = async ({ data: offset }) => {
    const all = (await cases()).filter(({ op }) => op !== 'configure');
    const negotiator = await load(START);
    const turned = [...all.slice(offset * 7), ...all.slice(0, offset * 7)];
    const wrong = turned.filter(
      (case_) => judge(case_, ...negotiator.call(case_.op, requestOf(case_))).length,
    );
    self.postMessage(wrong.length);
  };
} else {
  const options = new URLSearchParams(location.search);
  const number = (name) => Number(options.get(name) ?? '0');
  inPage({ settles: number('settles'), threads: number('threads') }).catch((error) =>
    post({ part: 'error', text: `${error}\n${error.stack}` }),
  );
}
