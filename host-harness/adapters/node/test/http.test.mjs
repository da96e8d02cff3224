// What raw requests of http-cases.jsonl do not show: limits, streams, sessions, other methods.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import express from 'express';
import { load } from '@openwop/negotiator';
import { MemorySessions, negotiation } from '@openwop/negotiator/express';
import { negotiated } from '@openwop/negotiator/fetch';

const negotiator = await load({
  mcp: {
    offered: ['2025-06-18', '2025-11-25', '2026-07-28'],
    preferred: '2026-07-28',
    floor: '2025-06-18',
  },
});
const META = 'io.modelcontextprotocol/protocolVersion';
const VERSION = { 'mcp-protocol-version': '2026-07-28' };
const CALL = JSON.stringify({
  id: 1,
  method: 'tools/list',
  params: { _meta: { [META]: '2026-07-28' } },
});
const LIST = JSON.stringify({ id: 2, method: 'tools/list' });
const initialize = (protocolVersion) =>
  JSON.stringify({ id: 1, method: 'initialize', params: { protocolVersion } });
const result = (protocolVersion) => JSON.stringify({ id: 1, result: { protocolVersion } });

/**
 * The two drop-ins in front of an app that gives {status, headers, parts}, each as a function like
 * `fetch` and a list of what was settled.
 */
const DROP_INS = {
  fetch: async (app, options, settled) => {
    const handler = negotiated(
      async (request) => {
        const { status = 200, headers = {}, parts = [] } = await app(request.method);
        const stream = new ReadableStream({
          async pull(controller) {
            const part = parts.shift();
            if (part === undefined) controller.close();
            else controller.enqueue(new TextEncoder().encode(await part));
          },
        });
        return new Response(stream, { status, headers });
      },
      { negotiator, protocol: 'mcp', sink: (s) => void settled.push(s), ...options },
    );
    const ask = (init) => handler(new Request('http://127.0.0.1/mcp', init));
    return { ask, stop: () => undefined };
  },
  Express: async (app, options, settled) => {
    const http = express();
    http.use(
      negotiation({ negotiator, protocol: 'mcp', sink: (s) => void settled.push(s), ...options }),
    );
    http.use(async (req, res) => {
      const { status = 200, headers = {}, parts = [] } = await app(req.method);
      res.status(status).set(headers);
      res.flushHeaders();
      for (const part of parts) res.write(await part);
      res.end();
    });
    const server = createServer(http).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${server.address().port}/mcp`;
    const stop = () => {
      server.closeAllConnections();
      server.close();
    };
    return { ask: (init) => fetch(url, init), stop };
  },
};

const unreachable = () => assert.fail('this must not be served');

for (const [name, dropIn] of Object.entries(DROP_INS)) {
  describe(name, () => {
    const check = (title, app, run, options = {}) =>
      test(title, async () => {
        const settled = [];
        const authenticate = () => ({});
        const { ask, stop } = await dropIn(app, { authenticate, ...options }, settled);
        try {
          await run(ask, settled);
        } finally {
          stop();
        }
      });
    const post = (body, headers = VERSION) => ({ method: 'POST', body, headers });

    check(
      'a body past the limit is not read on',
      unreachable,
      async (ask, settled) => {
        assert.equal((await ask(post('x'.repeat(101)))).status, 413);
        assert.deepEqual(settled, []);
      },
      { maxBody: 100 },
    );

    check('other methods are not served', unreachable, async (ask, settled) => {
      assert.equal((await ask({ method: 'PUT', body: CALL, headers: VERSION })).status, 405);
      assert.deepEqual(settled, []);
    });

    check(
      'OPTIONS passes',
      () => ({ parts: ['pong'] }),
      async (ask, settled) => {
        assert.equal((await ask({ method: 'OPTIONS' })).status, 200);
        assert.deepEqual(settled, []);
      },
    );

    for (const [type, body] of [
      ['application/json', result('2024-11-05')],
      ['text/event-stream', `data: ${result('2024-11-05')}\n\n`],
      ['application/json', result(undefined)],
      ['application/json', result(20251125)],
    ])
      check(
        `an app that answers ${body.trim()} is not let through`,
        () => ({ headers: { 'content-type': type, 'mcp-session-id': 's-1' }, parts: [body] }),
        async (ask, settled) => {
          const answer = await ask(post(initialize('2025-11-25'), {}));
          assert.equal(answer.status, 502);
          assert.equal(answer.headers.get('mcp-session-id'), null);
          assert(!(await answer.text()).includes('2024'));
          assert.equal(settled.length, 1);
        },
      );

    const stream =
      'event: message\r\nid: 1\r\ndata: {"id":1,\r\n' +
      'data: "result":{"protocolVersion":"2025-11-25"}}\r\n\r\n';
    check(
      'a stream begins a session, DELETE ends it',
      (method) =>
        method === 'DELETE'
          ? { status: 200 }
          : {
              headers: { 'content-type': 'text/event-stream', 'mcp-session-id': 's-1' },
              parts: [stream.slice(0, 30), stream.slice(30)],
            },
      async (ask, settled) => {
        assert.equal(await (await ask(post(initialize('2025-11-25'), {}))).text(), stream);
        const session = { 'mcp-session-id': 's-1' };
        await (await ask(post(LIST, session))).text();
        await (await ask({ method: 'DELETE', headers: session })).text();
        assert.equal((await ask(post(LIST, session))).status, 400);
        assert.deepEqual(
          settled.map(({ decision }) => decision.val.cause),
          ['exact', 'session', 'session', 'not-named'],
        );
      },
    );

    let second;
    check(
      'an answer is passed on as it comes',
      () => ({
        headers: { 'content-type': 'text/event-stream' },
        parts: ['data: 1\n\n', new Promise((resolve) => (second = resolve))],
      }),
      async (ask) => {
        const reader = (await ask(post(CALL))).body.getReader();
        const next = async () => new TextDecoder().decode((await reader.read()).value);
        assert.equal(await next(), 'data: 1\n\n');
        second('data: 2\n\n');
        assert.equal(await next(), 'data: 2\n\n');
      },
    );

    check(
      'an error of any kind in the sink refuses',
      unreachable,
      async (ask) => assert.equal((await ask(post(CALL))).status, 503),
      {
        sink: () => {
          throw undefined;
        },
      },
    );
  });
}

test('Express: behind a body parser is no place for it', async () => {
  const app = express();
  app.use(express.json());
  app.use(negotiation({ negotiator, protocol: 'mcp', sink: () => undefined }));
  app.use(unreachable);
  app.use((error, _req, res, _next) => res.status(500).send(error.message));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/`, {
    method: 'POST',
    body: CALL,
    headers: { ...VERSION, 'content-type': 'application/json' },
  });
  assert.equal(answer.status, 500);
  assert.match(await answer.text(), /before any body parser/);
  server.close();
});

test('the longest unused sessions are forgotten', () => {
  const sessions = new MemorySessions(2);
  sessions.put('a', '1');
  sessions.put('b', '2');
  sessions.get('a');
  sessions.put('c', '3');
  assert.deepEqual(['a', 'b', 'c'].map((id) => sessions.get(id)), ['1', undefined, '3']);
});
