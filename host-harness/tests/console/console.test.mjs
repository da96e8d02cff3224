// The console in headless Chromium, as an operator uses it, with the keyboard alone.
//
//     NEGOTIATOR=target/debug/negotiator node --test host-harness/tests/console/
//
// Screenshots go to target/console.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { opened } from './chromium.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND = resolve(process.env.NEGOTIATOR ?? join(ROOT, 'target/debug/negotiator'));
const EXACT = join(ROOT, 'dist/policies/exact.wasm');
const HIGHEST = join(ROOT, 'dist/policies/highest.wasm');
const TOKEN = 'posture-test-token';

const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const short = (file) => digest(file).slice(0, 12);

let folder, store, host, base, admin, page;

function install(policy, ...more) {
  const done = spawnSync(COMMAND, ['policy', 'install', policy, '--policies', store, ...more], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
}

/** Asks the host for a version, as a caller. */
async function call(version, token = TOKEN) {
  await fetch(`${base}/a2a/jsonrpc`, {
    method: 'POST',
    headers: {
      'a2a-version': version,
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } }),
  });
}

async function keep(name) {
  const kept = join(ROOT, 'target/console');
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, `${name}.png`), await page.picture());
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'negotiator-console-host-'));
  store = join(folder, 'policies');
  mkdirSync(store);
  chmodSync(store, 0o700);
  const pins = [EXACT, HIGHEST].map((file) => `[[pin]]\nname = "shipped"\ndigest = "sha256:${digest(file)}"\n`);
  writeFileSync(join(store, 'negotiator.trust.toml'), pins.join(''));
  install(EXACT);
  const today = new Date().toISOString().slice(0, 10);
  host = spawn(
    COMMAND,
    ['serve', '--config', join(ROOT, 'host-harness/examples/postures/b.toml'), '--policies', store],
    {
      env: {
        ...process.env,
        NEGOTIATOR_LISTEN: '127.0.0.1:0',
        NEGOTIATOR_ADMIN_LISTEN: '127.0.0.1:0',
        NEGOTIATOR_JOURNAL: join(folder, 'journal.db'),
        NEGOTIATOR_CONSOLE: 'true',
        NEGOTIATOR_A2A__REFRESHED_AT: today,
        NEGOTIATOR_MCP__REFRESHED_AT: today,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const said = [];
  for await (const line of createInterface({ input: host.stderr })) {
    said.push(line);
    base = line.match(/^serving on (.*)/)?.[1] ?? base;
    admin = line.match(/^for operators: (.*)/)?.[1];
    if (admin) break;
  }
  assert.ok(admin, `the host did not start: ${said.join('\n')}`);
  // What it says must not fill the pipe.
  host.stderr.resume();
  page = await opened(`${admin}/console`);
  await page.until(`document.querySelector('#matrix table')`);
});

after(async () => {
  await page?.stop();
  if (host) {
    const ended = once(host, 'exit');
    host.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

test('it shows what is in force and what that decides', async () => {
  assert.match(await page.get(`document.querySelector('#in-force').textContent`), new RegExp(short(EXACT)));
  assert.equal(await page.get(`document.querySelectorAll('#matrix table').length`), 2);
  assert.ok((await page.get(`document.querySelectorAll('#matrix td.accepted').length`)) > 0);
  assert.ok((await page.get(`document.querySelectorAll('#matrix td.refused').length`)) > 0);
  assert.ok(await page.get(`document.querySelector('#rollback').disabled`));
});

test('records appear as they are made', async () => {
  await page.until(`document.querySelector('#live').textContent === 'live'`);
  await call('1.0');
  await page.until(`document.querySelectorAll('#records tr').length === 1`);
  await call('0.3', null);
  await page.until(`document.querySelector('#records tr.refused td:last-child')?.textContent === 'unauthenticated'`);
  assert.equal(await page.get(`document.querySelectorAll('#records tr').length`), 2);
  await keep('records');
});

test('a candidate is compared and stays out', async () => {
  await page.choose('#policy', HIGHEST);
  await page.get(`document.querySelector('#candidate button').click()`);
  await page.until(`document.querySelector('#changes table')`, 300);
  const differ = await page.get(`document.querySelector('#changes p').textContent`);
  assert.match(differ, /^\d+ of 691488 decisions differ: [1-9]\d* loosened/);
  assert.match(await page.get(`document.querySelector('#in-force').textContent`), /generation 1,/);
  await keep('candidate');
});

test('an operator goes back with the keyboard alone, and can think better of it', async () => {
  install(HIGHEST, '--allow-loosening');
  // Whoever looks on sees it without asking.
  await page.until(`/generation 2,/.test(document.querySelector('#in-force').textContent)`);
  const button = `document.querySelector('#rollback')`;
  assert.match(await page.get(`${button}.textContent`), new RegExp(short(EXACT)));
  await page.get(`${button}.focus()`);
  await page.press('Enter');
  await page.until(`document.querySelector('#sure').open`);
  await keep('go-back');
  await page.press('Escape');
  await page.until(`!document.querySelector('#sure').open`);
  assert.match(await page.get(`document.querySelector('#in-force').textContent`), /generation 2,/);
  await page.press('Enter');
  await page.until(`document.querySelector('#sure').open`);
  await page.press('Tab');
  await page.press('Enter');
  await page.until(`/generation 3,/.test(document.querySelector('#in-force').textContent)`);
  assert.match(await page.get(`document.querySelector('#in-force').textContent`), new RegExp(short(EXACT)));
  assert.match(await page.get(`document.querySelector('tr.current').textContent`), /rolled-back/);
  await keep('gone-back');
});

test('everything has a name, headings are in order, and the page complains of nothing', async () => {
  const nodes = (await page.send('Accessibility.getFullAXTree')).nodes.filter(({ ignored }) => !ignored);
  const named = ['button', 'textbox', 'table', 'region', 'columnheader', 'rowheader', 'dialog'];
  const unnamed = nodes.filter(({ role, name }) => named.includes(role?.value) && !name?.value);
  assert.deepEqual(unnamed.map(({ role }) => role.value), []);
  assert.ok(nodes.filter(({ role }) => role?.value === 'table').length >= 4);
  const levels = await page.get(`[...document.querySelectorAll('h1,h2,h3')].map((one) => Number(one.tagName[1]))`);
  assert.equal(levels[0], 1);
  levels.reduce((before, level) => (assert.ok(level <= before + 1, levels.join()), level));
  assert.equal(await page.get('document.documentElement.lang'), 'en');
  assert.deepEqual(page.said, []);
});
