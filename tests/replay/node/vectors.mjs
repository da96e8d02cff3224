// What both replays share: the report. Vectors are read, and answers judged, as in the adapters.

import { readFileSync, writeFileSync } from 'node:fs';
import { judge, parse } from '../../../host-harness/adapters/node/replay/judge.mjs';
import { filesOf } from '../../../host-harness/adapters/node/replay/options.mjs';

export { compact, isSettle } from '../../../host-harness/adapters/node/replay/judge.mjs';

/** Every case of every file, in the order of the file names. */
export const load = (folder) =>
  filesOf([folder]).flatMap((file) => parse(readFileSync(file, 'utf8')));

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
