// A Worker that negotiates in front of an MCP or A2A server: `env.UPSTREAM` serves what is
// accepted, `env.JOURNAL` keeps the records, `env.CREDENTIAL` is the token of this example.

import { load } from '@openwop/negotiator';
import { negotiated } from '@openwop/negotiator/fetch';

const FACETS = {
  a2a: { offered: ['0.3', '1.0'], preferred: '1.0', floor: '0.3' },
  mcp: {
    offered: ['2025-06-18', '2025-11-25', '2026-07-28'],
    preferred: '2026-07-28',
    floor: '2025-11-25',
  },
};
const negotiator = await load(FACETS);
const handlers = new Map();

/** Throws unless the journal says that the record is kept. */
async function append(journal, { entry }) {
  const answer = await journal.fetch('http://journal/', { method: 'POST', body: entry.event });
  if (!answer.ok) throw new Error(`the journal answered ${answer.status}`);
}

function handlerOf(protocol, env) {
  if (!handlers.has(protocol)) {
    const handler = negotiated((request) => env.UPSTREAM.fetch(request), {
      negotiator,
      protocol,
      sink: (settlement) => append(env.JOURNAL, settlement),
      authenticate: (request) =>
        request.headers.get('authorization') === `Bearer ${env.CREDENTIAL}`
          ? { subject: { tenant: 'acme', workspace: 'ws-1' } }
          : undefined,
    });
    handlers.set(protocol, handler);
  }
  return handlers.get(protocol);
}

export default {
  fetch(request, env) {
    const protocol = new URL(request.url).pathname === '/mcp' ? 'mcp' : 'a2a';
    return handlerOf(protocol, env)(request);
  },
};
