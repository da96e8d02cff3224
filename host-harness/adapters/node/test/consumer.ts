// What a TypeScript host writes; only compiled (test/types.test.mjs).

import express from 'express';
import {
  FacetsError,
  type Facets,
  type Inbound,
  type Negotiator,
  type Settlement,
  load,
} from '@openwop/negotiator';
import { type Caller, negotiation } from '@openwop/negotiator/express';
import { negotiated } from '@openwop/negotiator/fetch';
import { compileComponent } from '@openwop/negotiator/policy';

const facets: Facets = { a2a: { offered: ['1.0'], preferred: '1.0', floor: '1.0' } };
const negotiator: Negotiator = await load(facets);
const message: Inbound = {
  protocol: 'a2a',
  authenticated: false,
  httpMethod: 'post',
  headers: [['A2A-Version', '1.0']],
};
const settled: Settlement = negotiator.settle(message, { at: '2026-11-30T12:00:00Z' });
// A decision must be looked at before its version can be had.
export const version =
  settled.decision.tag === 'accepted' ? settled.decision.val.version : undefined;
// @ts-expect-error a refusal has no version
export const wrong = settled.decision.tag === 'refused' ? settled.decision.val.version : undefined;
// @ts-expect-error there are two protocols
negotiator.readInbound({ ...message, protocol: 'acp' });

const who = (): Caller => ({ subject: { tenant: 'acme' } });
const sink = async ({ entry }: Settlement) => void entry.event;
const app = express();
app.use(negotiation({ negotiator, protocol: 'a2a', sink, authenticate: who }));
export const handler: (request: Request, env: { KEY: string }) => Promise<Response> = negotiated(
  async (_request: Request, env: { KEY: string }) => new Response(env.KEY),
  { negotiator, protocol: 'a2a', sink, authenticate: async () => undefined },
);
export const swapped: number = await negotiator.swapPolicy(
  await compileComponent(new Uint8Array(), '00'),
);
export const faults = new FacetsError([]).faults.map(({ path }) => path);
