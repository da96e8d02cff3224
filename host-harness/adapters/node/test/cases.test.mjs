// Raw requests, answered and recorded as the native host has it (adapters/http-cases.jsonl).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { describe, test } from 'node:test';
import express from 'express';
import { load } from '@openwop/negotiator';
import { MemorySessions, negotiation } from '@openwop/negotiator/express';
import { negotiated, settlementOf } from '@openwop/negotiator/fetch';

const CASES = readFileSync(new URL('../../http-cases.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const NEGOTIATORS = new Map();
const HEADER = { a2a: 'a2a-version', mcp: 'mcp-protocol-version' };

async function options(case_, settled) {
  const key = JSON.stringify(case_.facets);
  if (!NEGOTIATORS.has(key)) NEGOTIATORS.set(key, await load(case_.facets));
  const sessions = new MemorySessions();
  if (case_.session) sessions.put('s-1', case_.session);
  return {
    negotiator: NEGOTIATORS.get(key),
    protocol: case_.protocol,
    sink: async (settlement) => {
      settled.push(settlement);
      if (case_.sinkFails) throw new Error('disk full');
    },
    authenticate: () =>
      case_.authenticated ? { subject: { tenant: 'acme', workspace: 'ws-1' } } : undefined,
    requireCredential: case_.requireCredential,
    sessions,
    clock: () => new Date('2026-11-30T12:00:00Z'),
    eventId: () => 'hev-0123456789abcdef01234567',
  };
}

/** The answer of an app that does what `initialize` asks for. */
function result(message) {
  const asked = message?.method === 'initialize' ? message.params.protocolVersion : undefined;
  return JSON.stringify({ jsonrpc: '2.0', id: 7, result: { protocolVersion: asked } });
}

function bodyOf({ request }) {
  if (request.bodyBase64 !== undefined) return Buffer.from(request.bodyBase64, 'base64');
  return Buffer.from(request.body ?? '', 'utf8');
}

function check(case_, { settled, seen, status, headers, body }) {
  assert.deepEqual(
    settled.map(({ entry }) => entry.payload),
    case_.record === null ? [] : [case_.record],
  );
  assert.equal(status, case_.status);
  // Once each: nothing that the app set stands beside it.
  for (const [name, value] of Object.entries(case_.headers))
    assert.deepEqual(headers.filter(([other]) => other === name), [[name, value]]);
  if (case_.body !== undefined) assert.equal(body, case_.body);
  if (case_.forwarded === null) return assert.deepEqual(seen, []);
  assert.equal(seen.length, 1);
  assert.equal(seen[0].version ?? null, case_.forwarded.version);
  assert.equal(seen[0].settlement, settled[0]);
  if (case_.request.method === 'POST')
    assert.deepEqual(
      JSON.parse(seen[0].body),
      JSON.parse(case_.forwarded.body ?? case_.request.body),
    );
}

describe('fetch', () => {
  for (const case_ of CASES)
    test(`${case_.id} ${case_.title}`, async () => {
      const settled = [];
      const seen = [];
      const handler = negotiated(
        async (request) => {
          const body = await request.text();
          const version = request.headers.get(HEADER[case_.protocol]);
          seen.push({ version, body, settlement: settlementOf(request) });
          const answer = result(body ? JSON.parse(body) : undefined);
          const headers = { 'content-type': 'application/json', 'A2A-Version': '9.9' };
          return new Response(answer, { headers });
        },
        await options(case_, settled),
      );
      const { method, target, headers } = case_.request;
      const body = method === 'POST' ? bodyOf(case_) : undefined;
      const request = new Request(`http://127.0.0.1${target}`, { method, headers, body });
      const response = await handler(request);
      check(case_, {
        settled,
        seen,
        status: response.status,
        headers: [...response.headers],
        body: await response.text(),
      });
    });
});

describe('Express', () => {
  for (const case_ of CASES)
    test(`${case_.id} ${case_.title}`, async () => {
      const settled = [];
      const seen = [];
      const app = express();
      app.use(negotiation(await options(case_, settled)));
      app.use(express.json({ limit: '10mb' }));
      app.use((req, res) => {
        const body = req.body === undefined ? '' : JSON.stringify(req.body);
        const version = req.headers[HEADER[case_.protocol]];
        seen.push({ version, body, settlement: req.negotiation });
        // Both ways of setting headers: neither may take the place of what was decided.
        res.setHeader('A2A-Version', '9.9');
        res.writeHead(200, { 'content-type': 'application/json', 'mcp-protocol-version': '9' });
        res.write('');
        res.end(result(req.body));
      });
      const server = createServer(app).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const { method, target, headers } = case_.request;
        const body = method === 'POST' ? bodyOf(case_) : undefined;
        const length = body === undefined ? [] : ['Content-Length', String(body.length)];
        const outgoing = send({
          host: '127.0.0.1',
          port: server.address().port,
          method,
          path: target,
          headers: ['Host', '127.0.0.1', ...length, ...headers.flat()],
          agent: false,
        });
        outgoing.end(body);
        const [response] = await once(outgoing, 'response');
        const chunks = await response.toArray();
        const raw = [];
        for (let at = 0; at < response.rawHeaders.length; at += 2)
          raw.push([response.rawHeaders[at].toLowerCase(), response.rawHeaders[at + 1]]);
        check(case_, {
          settled,
          seen,
          status: response.statusCode,
          headers: raw,
          body: Buffer.concat(chunks).toString('utf8'),
        });
      } finally {
        server.close();
      }
    });
});
