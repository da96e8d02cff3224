// Replays vectors inside a Worker. The vectors come as the body of a POST to /vectors; /replay
// replays them, and /settles?count=N settles N times over them.

import { load } from '@openwop/negotiator';
import { callJson } from '@openwop/negotiator/lib/negotiator.js';
import { instantiateNegotiator } from '@openwop/negotiator/lib/transpiled/index.js';
import { modules } from '@openwop/negotiator/lib/transpiled/modules.js';
import { START, parse, replay, settleMany } from '@openwop/negotiator/replay/judge.mjs';

const negotiator = await load(START);
let cases = [];
const bare = instantiateNegotiator((name) => modules.get(name), {});

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/vectors') cases = parse(await request.text());
    if (pathname === '/settles')
      settleMany(negotiator, cases, Number(searchParams.get('count')));
    globalThis.gc?.();
    if (pathname !== '/replay') return new Response('{}');
    const { times, ...result } = await replay(cases, load, (text) =>
      callJson(bare, 'configure', text),
    );
    return Response.json(result);
  },
};
