// The examples, which are drop-ins in front of real packages, and the packages' own clients.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ClientFactory } from '@a2a-js/sdk/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const CREDENTIAL = { authorization: 'Bearer demo' };
const EVENTS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs an example; gives its URL, the records it printed, and a way to end it. */
async function running(example, ...rest) {
  const script = fileURLToPath(new URL(`../examples/${example}`, import.meta.url));
  const child = spawn(process.execPath, [script, String(await freePort()), ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [url] = await once(lines, 'line');
  const records = [];
  lines.on('line', (line) => line.startsWith('{') && records.push(JSON.parse(line)));
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { url, records, stop };
}

const initialize = (protocolVersion) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '0' } },
});

const post = (url, body, headers) =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { ...EVENTS, ...headers } });

async function useMcp(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ['add']);
  const { content } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  assert.equal(content[0].text, '3');
  await client.close();
}

test('@modelcontextprotocol/sdk 1.x behind Express', async () => {
  const journal = join(mkdtempSync(join(tmpdir(), 'negotiator-')), 'records.jsonl');
  const { url, stop } = await running('mcp-express.mjs', journal);
  const read = () =>
    readFileSync(journal, 'utf8').trim().split('\n').map((line) => JSON.parse(line).payload);
  try {
    const transport = new Transport1(new URL(url), { requestInit: { headers: CREDENTIAL } });
    await useMcp(new Client1({ name: 'test', version: '0' }), transport);
    assert(read().length >= 4);
    assert(read().every(({ reason, version }) => reason === 'ok' && version === '2025-11-25'));

    const offered = await post(url, initialize('2099-01-01'), CREDENTIAL);
    assert.equal(offered.headers.get('mcp-protocol-version'), '2025-11-25');
    assert.match(await offered.text(), /"protocolVersion":"2025-11-25"/);
    const { requested, version } = read().at(-1);
    assert.deepEqual([requested, version], ['2099-01-01', '2025-11-25']);

    const older = await post(url, initialize('2025-06-18'), CREDENTIAL);
    const session = { 'mcp-session-id': older.headers.get('mcp-session-id') };
    assert.match(await older.text(), /"protocolVersion":"2025-06-18"/);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const moved = { ...session, 'mcp-protocol-version': '2025-11-25' };
    assert.equal((await post(url, list, { ...CREDENTIAL, ...moved })).status, 400);
    assert.equal(read().at(-1).reason, 'unsupported');
    const inside = await post(url, list, { ...CREDENTIAL, ...session });
    assert.equal(inside.status, 200);
    assert.equal(inside.headers.get('mcp-protocol-version'), '2025-06-18');

    const below = await post(url, initialize('2025-03-26'), CREDENTIAL);
    assert.equal(below.status, 400);
    assert.equal((await below.json()).error.code, -32602);
    const stranger = await post(url, initialize('2025-06-18'));
    assert.equal(stranger.status, 401);
    assert.equal(stranger.headers.get('www-authenticate'), 'Bearer');
    assert.deepEqual(read().slice(-2).map(({ reason }) => reason), [
      'below-floor',
      'unauthenticated',
    ]);
  } finally {
    await stop();
  }
});

test('a journal that cannot be written refuses', async () => {
  const { url, stop } = await running('mcp-express.mjs', '/no-such-folder/records.jsonl');
  try {
    const answer = await post(url, initialize('2025-11-25'), CREDENTIAL);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(answer.headers.get('mcp-session-id'), null);
  } finally {
    await stop();
  }
});

test('@modelcontextprotocol/server 2.x behind a fetch handler', async () => {
  const { url, records, stop } = await running('mcp-fetch.mjs');
  try {
    for (const [mode, version] of [
      ['auto', '2026-07-28'],
      ['legacy', '2025-11-25'],
    ]) {
      records.length = 0;
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: CREDENTIAL },
      });
      const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
      await useMcp(client, transport);
      assert(records.length >= 3);
      assert(records.every((record) => record.reason === 'ok' && record.version === version));
    }
    records.length = 0;
    const legacy = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode: 'legacy' } });
    await assert.rejects(legacy.connect(new StreamableHTTPClientTransport(new URL(url))));
    assert.deepEqual(records.map(({ reason }) => reason), ['unauthenticated']);
    assert.equal((await post(url, initialize('2024-11-05'), CREDENTIAL)).status, 400);
    assert.equal(records.at(-1).reason, 'below-floor');
  } finally {
    await stop();
  }
});

test('@a2a-js/sdk behind Express', async () => {
  const { url, records, stop } = await running('a2a-express.mjs');
  try {
    const client = await new ClientFactory().createFromUrl(url);
    const text = { content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: 'text/plain' };
    const answer = await client.sendMessage({
      tenant: '',
      message: {
        messageId: 'm-1', role: 1, contextId: '', taskId: '', extensions: [],
        referenceTaskIds: [], metadata: undefined, parts: [text],
      },
      configuration: undefined,
      metadata: undefined,
    });
    assert(JSON.stringify(answer).includes('hello'));
    assert(records.length >= 2);
    assert(records.every(({ reason, version }) => reason === 'ok' && version === '1.0'));

    const message = { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
    const old = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const stranger = await post(`${url}/rpc`, old, { 'A2A-Version': '0.3' });
    assert.equal(stranger.status, 401);
    assert.equal((await stranger.json()).error.code, -32009);
    const known = await post(`${url}/rpc`, old, { 'A2A-Version': '0.3', ...CREDENTIAL });
    assert.equal(known.headers.get('a2a-version'), '0.3');
    assert.equal((await known.json()).result.parts[0].text, 'hello');
    const card = await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '0.1' } });
    assert.equal((await card.json()).error, 'interop_version_unsupported');
    assert.deepEqual(records.slice(-3).map(({ reason }) => reason), [
      'unauthenticated',
      'ok',
      'below-floor',
    ]);
  } finally {
    await stop();
  }
});
