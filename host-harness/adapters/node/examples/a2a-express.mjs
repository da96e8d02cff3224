// An A2A agent that negotiates: the floor in front of @a2a-js/sdk, its card and its calls.
//
//     node examples/a2a-express.mjs [port]

import express from 'express';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import { load } from '@openwop/negotiator';
import { negotiation } from '@openwop/negotiator/express';

const port = Number(process.argv[2] ?? '8000');
const negotiator = await load({
  a2a: { offered: ['0.3', '1.0'], preferred: '1.0', floor: '0.3' },
});

const interfaces = ['1.0', '0.3'].map((protocolVersion) => ({
  url: `http://127.0.0.1:${port}/rpc`,
  protocolBinding: 'JSONRPC',
  tenant: '',
  protocolVersion,
}));
const card = {
  name: 'echo',
  description: 'says what you say',
  version: '1',
  provider: undefined,
  supportedInterfaces: interfaces,
  capabilities: { streaming: false, pushNotifications: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  signatures: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};
const executor = {
  execute: async ({ userMessage, contextId }, bus) => {
    bus.publish(AgentEvent.message({ ...userMessage, messageId: 'm-2', role: 2, contextId }));
    bus.finished();
  },
  cancelTask: async () => {},
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
const legacyCompat = { enabled: true };

const app = express();
app.use(
  negotiation({
    negotiator,
    protocol: 'a2a',
    // A line of the log; store it where nothing is lost.
    sink: ({ entry }) => console.log(entry.payload),
    authenticate: (req) =>
      req.headers.authorization === 'Bearer demo'
        ? { subject: { tenant: 'acme', workspace: 'ws-1' } }
        : undefined,
  }),
);
app.use(
  `/${AGENT_CARD_PATH}`,
  agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
);
app.use(
  '/rpc',
  jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }),
);
app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
