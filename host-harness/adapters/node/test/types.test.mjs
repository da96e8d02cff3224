// The package's types, as a TypeScript host sees them.

import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('a TypeScript host compiles, and its mistakes do not', () => {
  const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
  const options = '--noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node';
  execFileSync(
    process.execPath,
    [path('node_modules/typescript/bin/tsc'), ...options.split(' '), path('test/consumer.ts')],
    { stdio: 'inherit', cwd: path('.') },
  );
});
