// An A2A server of @a2a-js/sdk 1.x.
//   node a2a-server.mjs <port> <public-url> <native|compat>
// compat: the card lists 0.3 too, and the 0.3 layer is on.
import express from 'express';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';

const [port, base, mode] = process.argv.slice(2);
const compat = mode === 'compat';
const legacyCompat = { enabled: compat };
const at = (protocolVersion) => ({ url: `${base}/rpc`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion });
const card = {
  name: 'capture', description: 'capture', version: '0', provider: undefined,
  supportedInterfaces: compat ? [at('1.0'), at('0.3')] : [at('1.0')],
  capabilities: { streaming: false, pushNotifications: false, extensions: [] },
  securitySchemes: {}, securityRequirements: [], signatures: [],
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'echo', description: 'echo', tags: ['echo'], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
};
const executor = {
  execute: async (context, bus) => {
    bus.publish(AgentEvent.message({ ...context.userMessage, messageId: 'm-2', role: 2, contextId: context.contextId }));
    bus.finished();
  },
  cancelTask: async () => {},
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);

const app = express();
app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }));
app.listen(Number(port), '127.0.0.1');
