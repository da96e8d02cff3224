// An A2A client of @a2a-js/sdk 0.3.
//   node a2a-client-0.3.mjs <base-url>
import { ClientFactory } from 'a2a-sdk-0.3/client';

const client = await new ClientFactory().createFromUrl(process.argv[2]);
await client.sendMessage({
  message: { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] },
});
