// An MCP server of @modelcontextprotocol/sdk 1.x with sessions.
//   node mcp-server-1.mjs <port>
import { randomUUID } from 'node:crypto';
import express from 'express';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const sessions = new Map();

function server() {
  const mcp = new McpServer({ name: 'capture', version: '0' });
  mcp.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return mcp;
}

const app = express();
app.use(express.json());
app.all('/mcp', async (req, res) => {
  let transport = sessions.get(req.headers['mcp-session-id']);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await server().connect(transport);
  }
  await transport.handleRequest(req, res, req.body);
});
app.listen(Number(process.argv[2]), '127.0.0.1');
