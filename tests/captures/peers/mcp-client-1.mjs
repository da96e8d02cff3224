// An MCP client of @modelcontextprotocol/sdk 1.x: connect, list, call, leave.
//   node mcp-client-1.mjs <url> <package>
// <package> is the name the release is installed under (see package.json).
const [url, pkg] = process.argv.slice(2);
const { Client } = await import(`${pkg}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(`${pkg}/client/streamableHttp.js`);

const client = new Client({ name: 'capture', version: '0' });
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
await client.listTools();
await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
await new Promise((done) => setTimeout(done, 200)); // lets the GET stream open
await client.close();
