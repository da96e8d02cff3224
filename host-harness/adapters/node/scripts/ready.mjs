// Makes the package ready to run from a checkout: installs what the lock file says, if it is not
// what is installed already, and builds. Folders given as arguments are installed, too.
//
//     node scripts/ready.mjs [FOLDER…]

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('..', import.meta.url));

for (const folder of [HERE, ...process.argv.slice(2).map((path) => resolve(path))]) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const stamp = join(folder, 'node_modules', '.installed-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) continue;
  const options = ['ci', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', options, { cwd: folder, stdio: ['ignore', 2, 2] });
  writeFileSync(stamp, lock);
}
execFileSync(process.execPath, [join(HERE, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
