// An MCP client of @modelcontextprotocol/client 2.x.
//   node mcp-client-2.mjs <url> <mode> [revision…]
// mode: legacy | auto | pin. Revisions: what the client is told it supports.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, mode, ...revisions] = process.argv.slice(2);
const client = new Client(
  { name: 'capture', version: '0' },
  {
    versionNegotiation: { mode: mode === 'pin' ? { pin: revisions[0] } : mode },
    ...(mode !== 'pin' && revisions.length ? { supportedProtocolVersions: revisions } : {}),
  },
);
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
await client.listTools();
await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
await new Promise((done) => setTimeout(done, 200)); // lets the GET stream open
await client.close();
