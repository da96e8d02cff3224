// A stateless MCP server of 2026-07-28 that negotiates: the floor in front of
// @modelcontextprotocol/server, whose handler is a fetch handler. It serves older clients, too.
//
//     node examples/mcp-fetch.mjs [port]

import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { load } from '@openwop/negotiator';
import { negotiated } from '@openwop/negotiator/fetch';

const negotiator = await load({
  mcp: {
    offered: ['2025-11-25', '2026-07-28'],
    preferred: '2026-07-28',
    floor: '2025-11-25',
  },
});

function server() {
  const mcp = new McpServer({ name: 'adder', version: '1' });
  mcp.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  return mcp;
}

const mcp = createMcpHandler(server, { legacy: 'stateless' });
const handler = negotiated((request) => mcp.fetch(request), {
  negotiator,
  protocol: 'mcp',
  // A line of the log; store it where nothing is lost.
  sink: ({ entry }) => console.log(entry.payload),
  authenticate: (request) =>
    request.headers.get('authorization') === 'Bearer demo'
      ? { subject: { tenant: 'acme', workspace: 'ws-1' } }
      : undefined,
});

// Frameworks with fetch handlers take `handler` as it is; plain Node needs these lines.
const listener = createServer(async (req, res) => {
  const { method, headers, url } = req;
  const body = method === 'POST' ? Readable.toWeb(req) : undefined;
  const request = new Request(`http://127.0.0.1${url}`, { method, headers, body, duplex: 'half' });
  const response = await handler(request);
  res.writeHead(response.status, [...response.headers].flat());
  if (response.body) Readable.fromWeb(response.body).pipe(res);
  else res.end();
}).listen(Number(process.argv[2] ?? '8000'), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${listener.address().port}/mcp`),
);
