// An A2A client of @a2a-js/sdk 1.x.
//   node a2a-client.mjs <base-url> <native|compat>
import { AgentCardResolver, ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

const [base, mode] = process.argv.slice(2);
const legacyCompat = { enabled: mode === 'compat' };
const factory = new ClientFactory({
  ...ClientFactoryOptions.default,
  transports: [new JsonRpcTransportFactory({ legacyCompat })],
  cardResolver: mode === 'compat' ? new DefaultAgentCardResolver({ legacyCompat }) : AgentCardResolver.default,
});
const client = await factory.createFromUrl(base);
await client.sendMessage({
  tenant: '',
  message: {
    messageId: 'm-1', role: 1, contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined,
    parts: [{ content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
  },
  configuration: undefined,
  metadata: undefined,
});
