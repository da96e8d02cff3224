// An MCP server with sessions that negotiates: the floor in front of @modelcontextprotocol/sdk.
//
//     node examples/mcp-express.mjs [port] [journal]
//
// `Authorization: Bearer demo` proves who you are; use your own check instead.

import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import express from 'express';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { load } from '@openwop/negotiator';
import { negotiation } from '@openwop/negotiator/express';

const [port = '8000', path = 'records.jsonl'] = process.argv.slice(2);

/** Returns when the record is on disk. */
async function journal({ entry }) {
  const file = await open(path, 'a');
  try {
    await file.appendFile(`${entry.event}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

const negotiator = await load({
  mcp: {
    offered: ['2025-03-26', '2025-06-18', '2025-11-25'],
    preferred: '2025-11-25',
    floor: '2025-06-18',
  },
});
const negotiate = negotiation({
  negotiator,
  protocol: 'mcp',
  sink: journal,
  authenticate: (req) =>
    req.headers.authorization === 'Bearer demo'
      ? { subject: { tenant: 'acme', workspace: 'ws-1' } }
      : undefined,
});

function server() {
  const mcp = new McpServer({ name: 'adder', version: '1' });
  mcp.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() } },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  return mcp;
}

const sessions = new Map();
const app = express();
app.all('/mcp', negotiate, async (req, res) => {
  let transport = sessions.get(req.headers['mcp-session-id']);
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await server().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});
const listener = app.listen(Number(port), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${listener.address().port}/mcp`),
);
