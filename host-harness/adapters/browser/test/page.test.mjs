// The example page in headless Chromium, and a page whose module was changed on the way.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { opened, serving } from '../chromium.mjs';

const WATCH = `<script type="module">
  const error = await import('./example.mjs').then(() => null, (error) => String(error));
  const settled = document.querySelector('#settled').textContent;
  await fetch('/result', { method: 'POST', body: JSON.stringify({ error, settled }) });
</script>`;

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What the example page shows in the end, and how it failed if it did. */
const shown = (texts) => told({ '/watched.html': read('../page/index.html') + WATCH, ...texts });

/** What the page /watched.html posts. */
async function told(texts) {
  let done;
  const result = new Promise((resolve) => (done = resolve));
  const { url, stop } = await serving(texts, done);
  const page = opened(`${url}/watched.html`);
  try {
    const gone = page.ended.then(([code]) => assert.fail(`the browser ended with ${code}`));
    return await Promise.race([result, gone]);
  } finally {
    await page.stop();
    stop();
  }
}

test('the page settles: below preferred without authentication', async () => {
  const { error, settled } = await shown({});
  assert.equal(error, null);
  assert.match(settled, /^refused \(credential-missing\)\n/);
  assert.match(settled, /"outcome":"refused","requested":"0.3","floor":"0.3"/);
});

test('a module that was changed on the way is not used', async () => {
  const path = '/node/lib/transpiled/negotiator.core.wasm';
  const bytes = readFileSync(new URL(`../..${path}`, import.meta.url));
  bytes[1000] ^= 1;
  const { error, settled } = await shown({ [path]: bytes });
  assert.match(error, /not the one that is pinned/);
  assert.equal(settled, '');
});

test('the quick start of the README runs', async () => {
  const code = read('../README.md').split('```html\n')[1].split('```')[0];
  assert(code.trim().split('\n').length <= 10);
  const page = `<!doctype html><script>
    const told = (body) => fetch('/result', { method: 'POST', body: JSON.stringify(body) });
    console.log = (decision) => told({ decision });
    addEventListener('error', ({ message }) => told({ error: message }));
    addEventListener('unhandledrejection', ({ reason }) => told({ error: String(reason) }));
  </script>${code.replace('/lib/browser.js', '/node/lib/browser.js')}`;
  const { error, decision } = await told({ '/watched.html': page });
  assert.equal(error, undefined);
  assert.deepEqual(
    [decision.tag, decision.val.version, decision.val.cause],
    ['accepted', '1.0', 'default'],
  );
});
