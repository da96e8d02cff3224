// An A2A server of @a2a-js/sdk 0.3.
//   node a2a-server-0.3.mjs <port> <public-url>
import express from 'express';
import { AGENT_CARD_PATH } from 'a2a-sdk-0.3';
import { DefaultRequestHandler, InMemoryTaskStore } from 'a2a-sdk-0.3/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from 'a2a-sdk-0.3/server/express';

const [port, base] = process.argv.slice(2);
const card = {
  name: 'capture', description: 'capture', version: '0', protocolVersion: '0.3.0',
  url: `${base}/rpc`, preferredTransport: 'JSONRPC',
  additionalInterfaces: [{ url: `${base}/rpc`, transport: 'JSONRPC' }],
  capabilities: { streaming: false, pushNotifications: false },
  defaultInputModes: ['text'], defaultOutputModes: ['text'],
  skills: [{ id: 'echo', name: 'echo', description: 'echo', tags: ['echo'] }],
};
const executor = {
  execute: async (context, bus) => {
    bus.publish({ ...context.userMessage, messageId: 'm-2', role: 'agent', contextId: context.contextId });
    bus.finished();
  },
  cancelTask: async () => {},
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);

const app = express();
app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
app.listen(Number(port), '127.0.0.1');
