// An MCP server of @modelcontextprotocol/server 2.x.
//   node mcp-server-2.mjs <port> <stateless|reject>
// The word says what happens to clients of the handshake era.
import { createServer } from 'node:http';
import { z } from 'zod';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';

const [port, legacy] = process.argv.slice(2);

function server() {
  const mcp = new McpServer({ name: 'capture', version: '0' });
  mcp.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return mcp;
}

createServer(toNodeHandler(createMcpHandler(server, { legacy }))).listen(Number(port), '127.0.0.1');
