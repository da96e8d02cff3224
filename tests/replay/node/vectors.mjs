// What both replays share: reading the vectors, judging an answer, and the report.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every case of every file, in the order of the file names. */
export function load(folder) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  return names.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

export const isSettle = (case_) => case_.op === 'settle' || case_.op === 'refuse';
export const compact = (value) => JSON.stringify(value ?? null);

/** Every way in which the answer differs from what the line expects; member order counts. */
export function judge(case_, ok, text) {
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
  if (has('expect') && isSettle(case_)) {
    for (const [member, value] of Object.entries(case_.expect)) same(member, value, answer[member]);
  }
  for (const member of ['record', 'entry'])
    if (has(member)) same(member, case_[member], answer[member]);
  for (const [member, value] of Object.entries(case_.answer ?? {})) {
    if (member === 'code') same('answer.error.code', value, answer.answer.error?.code);
    else same(`answer.${member}`, value, answer.answer[member]);
  }
  if (has('findings')) {
    const covers = (want, got) =>
      Object.entries(want).every(([member, value]) => got[member] === value);
    for (const want of case_.findings) {
      if (!answer.findings.some((got) => covers(want, got)))
        wrong.push(`no finding ${compact(want)} in ${compact(answer.findings)}`);
    }
    const rules = new Set(case_.findings.map((want) => want.rule));
    for (const got of answer.findings)
      if (!rules.has(got.rule)) wrong.push(`finding too many: ${compact(got)}`);
  }
  for (const word of case_.absent ?? [])
    if (text.includes(word)) wrong.push(`the answer repeats ${compact(word.slice(0, 40))}`);
  return wrong;
}

/**
 * Replays every case. `ask(op, text)` gives `[ok, text]`; `typed(case, ok, text)`, if there is
 * one, gives the differences of the typed interfaces, or nothing where they cannot express the
 * case. Returns the exit code.
 */
export function replay(cases, answersPath, ask, typed) {
  const failures = [];
  const answers = [];
  const times = [];
  let failed = 0;
  let typedCount = 0;
  for (const case_ of cases) {
    const request = case_.requestText ?? JSON.stringify(case_.request);
    const start = performance.now();
    const [ok, text] = ask(case_.op, request);
    if (case_.op === 'settle' && ok) times.push(performance.now() - start);
    answers.push(JSON.stringify({ id: case_.id, answer: text }));
    const wrong = judge(case_, ok, text);
    const differences = case_.request === undefined ? undefined : typed?.(case_, ok, text);
    if (differences) {
      typedCount += 1;
      wrong.push(...differences);
    }
    if (wrong.length) {
      failed += 1;
      failures.push(
        `${case_.id} (${case_.rule}) ${case_.title}`,
        ...wrong.map((line) => `    ${line}`),
      );
    }
  }
  if (answersPath) writeFileSync(answersPath, answers.join('\n') + '\n');
  console.log(failures.length ? failures.join('\n') : 'no difference');
  if (typed) console.log(`${typedCount} of ${cases.length} cases through the typed interfaces too`);
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  console.log(`settle as JSON: ${(median * 1000).toFixed(1)} µs (median of ${times.length})`);
  console.log(`${cases.length - failed} passed, ${failed} failed`);
  return failed || !cases.length ? 1 : 0;
}
