// What every replay in JavaScript takes on its command line.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** The options, and the paths of the vectors. Says how it is used, and ends, where one is missing. */
export function options(script) {
  const { values, positionals } = parseArgs({
    options: {
      vectors: { type: 'string', multiple: true },
      component: { type: 'string' },
      settles: { type: 'string', default: '0' },
      threads: { type: 'string', default: '1' },
    },
    allowPositionals: true,
  });
  if (!values.vectors || !values.component) {
    console.error(`usage: node ${script} --vectors FILE… --component FILE`);
    process.exit(2);
  }
  // `--vectors A B`: the first belongs to the option, the others stand alone.
  return { ...values, paths: [...values.vectors, ...positionals] };
}

/** The files themselves; a folder stands for its *.jsonl files. */
export const filesOf = (paths) =>
  paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith('.jsonl'))
          .sort()
          .map((name) => join(path, name))
      : [path],
  );
