// The example Worker, in workerd: accepted, refused, recorded, and a journal that is full.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { running } from '../scripts/run.mjs';

const META = 'io.modelcontextprotocol/protocolVersion';
const CREDENTIAL = { authorization: 'Bearer demo' };
let worker;
before(async () => (worker = await running('worker', ['http', 'behind'])));
after(() => worker.stop());

const post = (path, message, headers) =>
  fetch(worker.urls.http + path, { method: 'POST', body: JSON.stringify(message), headers });

test('a Worker negotiates', async () => {
  const call = { jsonrpc: '2.0', id: 7, method: 'SendMessage', params: {} };
  const old = await post('/rpc', call, { 'A2A-Version': '0.3', ...CREDENTIAL });
  assert.equal(old.status, 200);
  assert.equal(old.headers.get('a2a-version'), '0.3');
  const { saw } = (await old.json()).result;
  assert.deepEqual(saw.find(([name]) => name === 'a2a-version'), ['a2a-version', '0.3']);

  const stranger = await post('/rpc', call, { 'A2A-Version': '0.3' });
  assert.equal(stranger.status, 401);
  assert.equal((await stranger.json()).error.code, -32009);

  const version = '2026-07-28';
  const list = { jsonrpc: '2.0', id: 8, method: 'tools/list', params: { _meta: { [META]: version } } };
  const mcp = await post('/mcp', list, { 'MCP-Protocol-Version': version });
  assert.equal(mcp.headers.get('mcp-protocol-version'), version);

  // The journal keeps three records; the next exchange is refused, and its app not asked.
  const full = await post('/mcp', list, { 'MCP-Protocol-Version': version });
  assert.equal(full.status, 503);
  assert.equal(full.headers.get('retry-after'), '1');
  assert.equal((await full.json()).error.code, -32603);

  const records = await (await fetch(`${worker.urls.behind}/records`)).json();
  assert.deepEqual(
    records.slice(0, 3).map(({ workspaceId, payload }) => [workspaceId, payload.reason]),
    [
      ['ws-1', 'ok'],
      [undefined, 'unauthenticated'],
      [undefined, 'ok'],
    ],
  );
});

test('the quick start of the README runs', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const code = readme.split('```js\n')[1].split('```')[0];
  assert(code.trim().split('\n').length <= 10);
  const main = fileURLToPath(new URL('../build/quick-start.mjs', import.meta.url));
  // Where records go is left to the reader.
  writeFileSync(main, `const kept = [];\nconst keep = (event) => kept.push(event);\n${code}`);
  const quick = await running('quick-start', ['http', 'behind'], main);
  try {
    const ask = (version) =>
      fetch(`${quick.urls.http}/rpc`, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }),
        headers: { 'A2A-Version': version },
      });
    const served = await ask('1.0');
    assert.deepEqual([served.status, served.headers.get('a2a-version')], [200, '1.0']);
    assert.equal((await ask('0.3')).status, 401);
  } finally {
    await quick.stop();
  }
});

test('a changed module is not bundled', async () => {
  const here = fileURLToPath(new URL('../..', import.meta.url));
  const copy = mkdtempSync(join(tmpdir(), 'negotiator-'));
  for (const part of ['edge/scripts', 'edge/package.json', 'node/lib', 'node/package.json'])
    cpSync(join(here, part), join(copy, part), { recursive: true });
  const script = pathToFileURL(join(copy, 'edge/scripts/bundle.mjs'));
  const verify = () =>
    execFileSync('node', ['--input-type=module', '-e', `
      import { verified } from '${script}';
      console.log((await verified()).length);`], { encoding: 'utf8', stdio: 'pipe' });
  assert.equal(verify().trim(), '4');
  const module = join(copy, 'node/lib/transpiled/negotiator.core.wasm');
  const bytes = readFileSync(module);
  bytes[1000] ^= 1;
  writeFileSync(module, bytes);
  assert.throws(verify, /is not the module that the package was built with/);
});
