// Judges answers against vectors, through JSON and through values; runs anywhere JavaScript does.

export const compact = (value) => JSON.stringify(value ?? null);
export const isSettle = ({ op }) => op === 'settle' || op === 'refuse';

export const START = {
  a2a: { offered: ['0.3', '1.0'], preferred: '1.0', floor: '0.3' },
  mcp: { offered: ['2025-11-25', '2026-07-28'], preferred: '2026-07-28', floor: '2025-11-25' },
};

export const parse = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
export const requestOf = (case_) => case_.requestText ?? JSON.stringify(case_.request);

/** Every way in which the answer differs from what the line expects; member order counts. */
export function judge(case_, ok, text) {
  if ('answerText' in case_)
    return ok === case_.ok && text === case_.answerText
      ? []
      : [`expected ${case_.answerText.slice(0, 200)}, got ${text.slice(0, 200)}`];
  const wrong = [];
  const same = (what, expected, got) => {
    if (compact(expected) !== compact(got))
      wrong.push(`${what}: expected ${compact(expected)}, got ${compact(got)}`);
  };
  const has = (member) => Object.hasOwn(case_, member);
  const answer = JSON.parse(text);
  const fails = has('error') || has('errorCode') || has('errorPath');
  if (ok === fails) return [`expected ${fails ? 'an error' : 'an answer'}, got ${text}`];
  if (has('error')) same('error', case_.error, answer);
  if (has('errorCode')) same('error.code', case_.errorCode, answer.error.code);
  if (has('errorPath')) same('error.path', case_.errorPath, answer.error.path);
  if (has('expect') && !isSettle(case_)) same('answer', case_.expect, answer);
  if (has('expect') && isSettle(case_))
    for (const [member, value] of Object.entries(case_.expect)) same(member, value, answer[member]);
  for (const member of ['record', 'entry'])
    if (has(member)) same(member, case_[member], answer[member]);
  for (const [member, value] of Object.entries(case_.answer ?? {})) {
    if (member === 'code') same('answer.error.code', value, answer.answer.error?.code);
    else same(`answer.${member}`, value, answer.answer[member]);
  }
  if (has('findings')) {
    const covers = (want, got) => Object.entries(want).every(([name, v]) => got[name] === v);
    for (const want of case_.findings)
      if (!answer.findings.some((got) => covers(want, got)))
        wrong.push(`no finding ${compact(want)} in ${compact(answer.findings)}`);
    const rules = new Set(case_.findings.map(({ rule }) => rule));
    for (const got of answer.findings)
      if (!rules.has(got.rule)) wrong.push(`finding too many: ${compact(got)}`);
  }
  for (const word of case_.absent ?? [])
    if (text.includes(word)) wrong.push(`the answer repeats ${compact(word.slice(0, 40))}`);
  return wrong;
}

// --- the same facts as values ---------------------------------------------------------------------

class NoSuchValue extends Error {}
const text = (value) => {
  if (value !== undefined && typeof value !== 'string') throw new NoSuchValue();
  return value;
};

function valueFacets(document) {
  const facets = {};
  for (const [protocol, list, floor] of [
    ['a2a', 'versions', 'minimumVersion'],
    ['mcp', 'revisions', 'minimumRevision'],
  ]) {
    if (!Object.hasOwn(document, protocol)) continue;
    const facet = document[protocol];
    if (!Array.isArray(facet?.[list])) throw new NoSuchValue();
    const texts = [...facet[list], facet.preferredVersion, facet[floor]];
    if (!texts.every((value) => typeof value === 'string')) throw new NoSuchValue();
    facets[protocol] = {
      offered: facet[list],
      preferred: facet.preferredVersion,
      floor: facet[floor],
    };
  }
  return facets;
}

export function valueMessage(facts) {
  const json = (name) => (Object.hasOwn(facts, name) ? JSON.stringify(facts[name]) : undefined);
  const { protocol, authenticated } = facts;
  if (facts.direction === 'inbound')
    return {
      protocol,
      authenticated,
      httpMethod: (facts.httpMethod ?? 'POST').toLowerCase(),
      headers: facts.headers ?? [],
      query: facts.query,
      method: facts.method,
      params: json('params'),
      session: facts.session,
    };
  let listing = { tag: 'nothing' };
  for (const tag of ['card', 'discover', 'error'])
    if (json(tag) !== undefined) listing = { tag, val: json(tag) };
  if (facts.offers) listing = { tag: 'offers', val: facts.offers };
  const { requested } = facts;
  return { protocol, authenticated, requested, listing, initialize: json('initialize') };
}

function valueContext(context) {
  const { at, peerUrl, tenant, workspace, runId, sequence, eventId } = context;
  for (const value of [at, peerUrl, tenant, workspace, runId, eventId]) text(value);
  if (at === undefined || (workspace !== undefined && tenant === undefined))
    throw new NoSuchValue();
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && sequence >= 0))
    throw new NoSuchValue();
  const subject = tenant === undefined ? undefined : { tenant, workspace };
  const order = sequence === undefined ? undefined : BigInt(sequence);
  return { at, peerUrl, runId, eventId, subject, sequence: order };
}

function compareReply(reply, answer) {
  const json = (value) => (value === null ? undefined : JSON.stringify(value));
  const got = compact([reply.status, reply.headers, reply.error, reply.envelope]);
  const expected = [answer.status, answer.headers, json(answer.error), json(answer.envelope)];
  return got === compact(expected) ? [] : [`values: reply ${got}, JSON has ${compact(expected)}`];
}

/** Differences between values and the JSON answer; undefined where there are no such values. */
export async function judgeValues(case_, ok, answerText, load) {
  if (!isSettle(case_) || typeof case_.request !== 'object') return undefined;
  const answer = JSON.parse(answerText);
  if (!ok && !answer.error.path?.startsWith('context.')) return undefined;
  let facets, message, context;
  try {
    facets = valueFacets(case_.request.facets);
    message = valueMessage(case_.request.exchange);
    context = valueContext(case_.request.context);
  } catch (error) {
    if (error instanceof NoSuchValue || error instanceof TypeError) return undefined;
    throw error;
  }
  const negotiator = await load(facets);
  const { refusal } = case_.request;
  const exchange =
    'httpMethod' in message ? negotiator.readInbound(message) : negotiator.readOutbound(message);
  const wrong = [];
  for (const facts of [message, exchange]) {
    if (refusal === 'record-not-durable') {
      wrong.push(...compareReply(negotiator.notDurable(facts), answer.answer));
      continue;
    }
    let settled;
    try {
      settled = refusal
        ? negotiator.refuse(facts, context, refusal)
        : negotiator.settle(facts, context);
    } catch (error) {
      if (ok || error.path !== answer.error.path)
        wrong.push(`values: ${error}, JSON has ${answerText}`);
      continue;
    }
    if (!ok) {
      wrong.push(`values: no error, JSON has ${answerText}`);
      continue;
    }
    const { decision, entry, reply } = settled;
    const { val } = decision;
    const accepted = decision.tag === 'accepted';
    const got = [decision.tag, val.version, accepted ? 'ok' : val.refusal, val.cause];
    got.push(accepted && val.downgraded, entry.requested);
    const { outcome, version, reason, cause, downgraded, requested } = answer;
    const expected = [outcome, version, reason, cause, downgraded, requested];
    if (compact(got) !== compact(expected)) wrong.push(`values: ${got}, JSON has ${expected}`);
    if (!answerText.includes(`"record":${entry.payload},`))
      wrong.push(`values: payload ${entry.payload}, JSON has ${answerText}`);
    if (!answerText.includes(`"event":${entry.event ?? 'null'}}`))
      wrong.push(`values: event ${entry.event}, JSON has ${answerText}`);
    wrong.push(...compareReply(reply, answer.answer));
    if (!refusal && compact(negotiator.decide(facts)) !== compact(decision))
      wrong.push('values: `decide` differs from `settle`');
    if (!refusal && facts === exchange) {
      if (compact(negotiator.build(facts, decision, context)) !== compact(entry))
        wrong.push('values: `build` differs from `settle`');
      if (compact(negotiator.reply(facts, decision, context.runId)) !== compact(reply))
        wrong.push('values: `reply` differs from `settle`');
    }
  }
  return wrong;
}

/**
 * Replays cases. `load(facets)` gives a negotiator; `configure(request)` answers `configure`, which
 * is `load` here. Gives {passed, total, values, times in ms, failures}.
 */
export async function replay(cases, load, configure) {
  const negotiator = await load(START);
  const kept = new Map();
  const loadOnce = async (facets) => {
    const key = JSON.stringify(facets);
    if (!kept.has(key)) kept.set(key, await load(facets));
    return kept.get(key);
  };
  const result = { passed: 0, total: cases.length, values: 0, times: [], failures: [] };
  for (const case_ of cases) {
    const request = requestOf(case_);
    const start = performance.now();
    const [ok, text] =
      case_.op === 'configure' ? await configure(request) : negotiator.call(case_.op, request);
    if (case_.op === 'settle' && ok) result.times.push(performance.now() - start);
    const wrong = judge(case_, ok, text);
    const differences = await judgeValues(case_, ok, text, loadOnce);
    if (differences !== undefined) result.values += 1;
    wrong.push(...(differences ?? []));
    if (wrong.length) result.failures.push(...wrong.map((w) => `${case_.id} ${case_.title}: ${w}`));
    else result.passed += 1;
  }
  return result;
}

/** N settlements, half through JSON and half through values, over every settle case in turn. */
export function settleMany(negotiator, cases, count) {
  const settles = cases.filter(
    (case_) => case_.op === 'settle' && case_.record && requestOf(case_).length < 4096,
  );
  const requests = settles.map(requestOf);
  const messages = settles.map((case_) => valueMessage(case_.request.exchange));
  const context = { at: '2026-11-30T12:00:00Z' };
  for (let n = 0; n < count / 2; n += 1) {
    negotiator.call('settle', requests[n % requests.length]);
    negotiator.settle(messages[n % messages.length], context);
  }
}

export const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;
