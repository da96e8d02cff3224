// Replays the vectors through the component as JavaScript modules made from it by jco.
//
//     node replay.mjs dist/negotiator.wasm tests/vectors [ANSWERS]
//
// Every line goes through the `json` interface; lines that the typed interfaces can express go
// through those too, and both must say the same. The first run installs jco under tests/work/.
// jco is pinned to 1.13.0: from 1.13.1 on every call costs a hundred times as much.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compact, isSettle, load, replay } from './vectors.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const WORK = join(HERE, '..', '..', 'work', 'replay-node');

/** Installs the pinned packages, unless the lock file is the one installed already. */
function ensurePackages() {
  const lock = readFileSync(join(HERE, 'package-lock.json'), 'utf8');
  const stamp = join(WORK, 'installed.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  mkdirSync(WORK, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join(HERE, name), join(WORK, name));
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: WORK,
    stdio: ['ignore', 2, 2],
  });
  writeFileSync(stamp, lock);
}

/** Transpiles the component and imports the result. */
async function open(path) {
  const resolve = createRequire(join(WORK, 'package.json')).resolve;
  const { generate } = await import(pathToFileURL(resolve('@bytecodealliance/jco/component')));
  const { files } = await generate(readFileSync(path), { name: 'negotiator', noTypescript: true });
  const folder = join(WORK, 'negotiator');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return import(pathToFileURL(join(folder, 'negotiator.js')));
}

/** Calls a function whose WIT type is `result`: jco throws the error's payload. */
function attempt(call) {
  try {
    return { ok: true, value: call() };
  } catch (thrown) {
    if (thrown?.payload === undefined) throw thrown;
    return { ok: false, value: thrown.payload };
  }
}

// --- JSON to typed -------------------------------------------------------------------------

/** The facets of a JSON request, or nothing if a typed record cannot hold them. */
function typedFacets(document) {
  const result = {};
  for (const [protocol, list, floor] of [
    ['a2a', 'versions', 'minimumVersion'],
    ['mcp', 'revisions', 'minimumRevision'],
  ]) {
    if (!Object.hasOwn(document, protocol)) continue;
    const facet = document[protocol] ?? {};
    const offered = facet[list];
    const texts = [facet.preferredVersion, facet[floor]];
    if (
      !Array.isArray(offered) ||
      ![...offered, ...texts].every((text) => typeof text === 'string')
    )
      return undefined;
    result[protocol] = { offered, preferred: texts[0], floor: texts[1] };
  }
  return result;
}

/** Reads the facts of a JSON exchange through `wire`. */
function typedExchange(wire, exchange) {
  const text = (member) =>
    Object.hasOwn(exchange, member) ? JSON.stringify(exchange[member]) : undefined;
  const { protocol, authenticated } = exchange;
  if (exchange.direction === 'inbound') {
    const { headers = [], query, method, session } = exchange;
    const httpMethod = (exchange.httpMethod ?? 'POST').toLowerCase();
    return wire.readInbound({
      protocol,
      authenticated,
      httpMethod,
      headers,
      query,
      method,
      params: text('params'),
      session,
    });
  }
  let listing = { tag: 'nothing' };
  for (const tag of ['card', 'discover', 'error'])
    if (text(tag) !== undefined) listing = { tag, val: text(tag) };
  if (exchange.offers) listing = { tag: 'offers', val: exchange.offers };
  return wire.readOutbound({
    protocol,
    authenticated,
    requested: exchange.requested,
    listing,
    initialize: text('initialize'),
  });
}

/** The context of a JSON request, or nothing if a typed record cannot hold it. */
function typedContext(context) {
  const texts = ['at', 'peerUrl', 'tenant', 'workspace', 'runId', 'eventId'];
  if (texts.some((name) => Object.hasOwn(context, name) && typeof context[name] !== 'string'))
    return undefined;
  const { at, peerUrl, tenant, workspace, runId, sequence, eventId } = context;
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && sequence >= 0))
    return undefined;
  if (at === undefined) return undefined;
  return {
    at,
    peerUrl,
    runId,
    eventId,
    subject: tenant === undefined ? undefined : { tenant, workspace },
    sequence: sequence === undefined ? undefined : BigInt(sequence),
  };
}

// --- typed against JSON ------------------------------------------------------------------------

function compareReply(reply, answer) {
  const typed = compact([reply.status, reply.headers, reply.error, reply.envelope]);
  const text = (value) => (value === null ? null : JSON.stringify(value));
  const plain = compact([answer.status, answer.headers, text(answer.error), text(answer.envelope)]);
  return typed === plain ? [] : [`typed: reply ${typed}, JSON has ${plain}`];
}

/** Settles the same facts through the typed interfaces; differences from the JSON answer. */
function typedSettle(component, ask, case_, ok, text) {
  const { negotiate, record, answer: reply, wire } = component;
  const { facets: document, exchange: facts, context: given, refusal } = case_.request;
  if ([document, facts, given].some((part) => part === null || typeof part !== 'object'))
    return undefined;
  const facets = typedFacets(document);
  const context = typedContext(given);
  const answer = JSON.parse(text);
  if (!facets || !context || !(ok || answer.error.path?.startsWith('context.'))) return undefined;
  if (!attempt(() => negotiate.configure(facets, '')).ok) return ['the typed facets have faults'];
  const exchange = typedExchange(wire, facts);
  if (refusal === 'record-not-durable')
    return compareReply(reply.notDurable(exchange), answer.answer);
  const result = attempt(() =>
    refusal ? record.refuse(exchange, context, refusal) : record.settle(exchange, context),
  );
  if (!ok) {
    const { path } = answer.error;
    const unheld = path === 'context.workspace' && !context.subject;
    const got = result.ok ? '' : result.value.path;
    return got === path || unheld ? [] : [`typed: fault at '${got}', JSON has '${path}'`];
  }
  if (!result.ok) return [`typed: fault at ${result.value.path}`];
  const { decision, entry, reply: sent } = result.value;
  const accepted = decision.tag === 'accepted';
  const wrong = [];
  const typed = compact({
    outcome: decision.tag,
    version: decision.val.version,
    reason: accepted ? 'ok' : decision.val.refusal,
    cause: decision.val.cause,
    requested: entry.requested,
    downgraded: accepted && decision.val.downgraded,
  });
  const { outcome, version, reason, cause, requested, downgraded } = answer;
  const plain = compact({ outcome, version, reason, cause, requested, downgraded });
  if (typed !== plain) wrong.push(`typed: decision ${typed}, JSON has ${plain}`);
  if (!text.includes(`"record":${entry.payload},`))
    wrong.push(`typed: payload ${entry.payload} is not the one of the JSON answer`);
  const [audience, event] = [compact(entry.audience), entry.event ?? 'null'];
  const outer = `{"home":"${entry.home}","audience":${audience},"event":${event}}`;
  if (!text.includes(outer)) wrong.push(`typed: entry ${outer} is not the one of the JSON answer`);
  if (entry.peerDigest !== answer.record.peerDigest) wrong.push('typed: another digest');
  wrong.push(...compareReply(sent, answer.answer));
  if (!refusal && compact(negotiate.decide(exchange)) !== compact(decision))
    wrong.push('typed: `decide` differs from `settle`');
  if (compact(attempt(() => record.build(exchange, decision, context)).value) !== compact(entry)) {
    wrong.push('typed: `build` differs from `settle`');
  }
  const { facets: dropped, ...bare } = case_.request;
  if (compact(ask(case_.op, JSON.stringify(bare))) !== compact([ok, text])) {
    wrong.push('another JSON answer with the facets configured instead of sent');
  }
  return wrong;
}

/** The small operations through their typed functions. */
function typedSmall({ negotiate, record, advertise }, case_, ok, text) {
  const { request, op } = case_;
  const answer = JSON.parse(text);
  const differ = (got, expected) =>
    compact(got) === compact(expected)
      ? []
      : [`typed: ${compact(got)}, JSON has ${compact(expected)}`];
  if (!ok) return undefined;
  switch (op) {
    case 'facets': {
      const facets = typedFacets(request.facets);
      if (!facets) return undefined;
      const result = attempt(() => negotiate.configure(facets, ''));
      // The typed facet has no `refreshedAt`: no decision depends on it.
      const expected = answer.faults.filter(({ path }) => !path.endsWith('.refreshedAt'));
      return differ(result.ok ? [] : result.value, expected);
    }
    case 'digest':
      return differ(
        request.url === null ? null : record.digestOrigin(request.url),
        answer.peerDigest,
      );
    case 'rounds':
      return differ(
        advertise.admitRound(request.maxRounds, request.inputRequiredSeen),
        answer.decision,
      );
    case 'fresh':
      return differ(advertise.fresh(request.refreshedAt, request.now), answer.fresh);
    case 'task-state':
      return differ(advertise.taskState(request.status), answer.state);
    case 'check':
      return differ(
        advertise.check(JSON.stringify(request.document), request.now),
        answer.findings,
      );
    default:
      return undefined;
  }
}

if (process.argv.length < 4) {
  console.error('usage: node replay.mjs COMPONENT VECTORS [ANSWERS]');
  process.exit(2);
}
const [path, vectors, answers] = process.argv.slice(2);
ensurePackages();
const component = await open(path);
const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const ask = (operation, text) => {
  const { ok, value } = attempt(() => component.json[camel(operation)](text));
  return [ok, value];
};
const typed = (case_, ok, text) =>
  isSettle(case_)
    ? typedSettle(component, ask, case_, ok, text)
    : typedSmall(component, case_, ok, text);
process.exitCode = replay(load(vectors), answers, ask, typed);
