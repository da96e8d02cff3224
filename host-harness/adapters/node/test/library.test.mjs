// The library: values, errors and swaps.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  ArtifactError,
  ComponentError,
  FacetsError,
  InputError,
  PINS,
  load,
} from '@openwop/negotiator';
import { compileComponent } from '@openwop/negotiator/policy';
import { parse } from '@bytecodealliance/jco';

const HERE = new URL('..', import.meta.url);
const DIST = new URL('../../../dist/', HERE);
const FACETS = { a2a: { offered: ['0.3', '1.0', '1.1'], preferred: '1.1', floor: '0.3' } };
const AT = { at: '2026-11-30T12:00:00Z' };
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const packaged = (name) => compileComponent(readFileSync(new URL(name, DIST)), PINS[name]);
const names = (...values) => ({
  protocol: 'a2a',
  authenticated: true,
  httpMethod: 'post',
  headers: values.map((value) => ['A2A-Version', value]),
});

test('a changed byte does not load', async () => {
  const bytes = readFileSync(new URL('policies/exact.wasm', DIST));
  bytes[1000] ^= 1;
  await assert.rejects(compileComponent(bytes, PINS['policies/exact.wasm']), ArtifactError);
  bytes[1000] ^= 1;
  const { digest } = await compileComponent(bytes, `sha256:${PINS['policies/exact.wasm']}`);
  assert.equal(digest, PINS['policies/exact.wasm']);
});

test('a changed module of this package does not load', () => {
  const code = `
    import { readFile } from 'node:fs/promises';
    import { compile } from '${new URL('lib/component.js', HERE)}';
    import { negotiator, instantiateNegotiator } from '${new URL('lib/transpiled/index.js', HERE)}';
    await compile(negotiator, instantiateNegotiator, async (name) => {
      const bytes = await readFile(new URL('lib/transpiled/' + name, '${HERE}'));
      bytes[1000] ^= 1;
      return bytes;
    });`;
  assert.throws(
    () => execFileSync('node', ['--input-type=module', '-e', code], { stdio: 'pipe' }),
    /not the one that is pinned/,
  );
});

test('faults are all listed and not repeated', async () => {
  const facets = { a2a: { offered: ['1.0', 'secret', '1.0'], preferred: '1.0', floor: '1.0' } };
  await assert.rejects(load(facets), (error) => {
    assert(error instanceof FacetsError);
    const found = error.faults.map(({ path, problem }) => `${path} ${problem}`);
    assert(found.includes('a2a.versions[1] malformed'));
    assert(found.includes('a2a.versions[2] duplicate'));
    assert(!error.message.includes('secret'));
    return true;
  });
});

test('a discovery document configures', async () => {
  const a2a = { versions: ['0.3', '1.0'], preferredVersion: '1.0', minimumVersion: '0.3' };
  assert.equal((await load({ protocolVersions: ['2.0'], a2a })).cardVersion(), '1.0');
  await assert.rejects(load({ a2a: { ...a2a, minimumVersion: '2.0' } }), FacetsError);
});

test('a lone surrogate is an input error everywhere', async () => {
  const negotiator = await load(FACETS);
  for (const text of ['\ud800', '\udc00\ud800', 'a\udfff'])
    for (const call of [
      () => negotiator.settle(names(text), AT),
      () => negotiator.settle(names('1.0'), { ...AT, peerUrl: text }),
      () => negotiator.readInbound(names(text)),
      () => negotiator.digestOrigin(text),
      () => negotiator.call('settle', text),
    ])
      assert.throws(call, (error) => error instanceof InputError && error.path === 'request');
  assert.equal(negotiator.settle(names('1.0'), AT).decision.tag, 'accepted');
});

test('a fault of the context names its member', async () => {
  const negotiator = await load(FACETS);
  assert.throws(
    () => negotiator.settle(names('1.0'), { at: 'noon' }),
    (error) => error instanceof InputError && error.path === 'context.at',
  );
});

test('a policy takes over and goes back', async () => {
  const negotiator = await load(FACETS);
  const first = negotiator.settle(names('1.0'), AT);
  const exact = await packaged('policies/exact.wasm');
  assert.equal(await negotiator.swapPolicy(exact), 2);
  const second = negotiator.settle(names('1.0'), AT);
  assert.deepEqual([second.generation, second.policy], [2, exact.digest]);
  assert.deepEqual(second.decision, first.decision);
  assert.equal(negotiator.rollback(), 1);
  assert.deepEqual(negotiator.settle(names('1.0'), AT), first);
  assert.equal(await negotiator.swapComponent(await packaged('negotiator.wasm')), 3);
});

test('a swap that fails changes nothing', async () => {
  const negotiator = await load(FACETS);
  const exact = await packaged('policies/exact.wasm');
  await assert.rejects(
    negotiator.swapPolicy(exact, 'settings that it does not have'),
    (error) => error instanceof FacetsError && error.faults[0].path === 'settings',
  );
  const nothing = Buffer.from('not wasm');
  await assert.rejects(compileComponent(nothing, sha256(nothing)), ArtifactError);
  await assert.rejects(
    negotiator.swapComponent(await packaged('negotiator-pluggable.wasm')),
    ArtifactError,
  );
  await assert.rejects(
    negotiator.swapPolicy(await packaged('negotiator.wasm')),
    ArtifactError,
  );
  assert.throws(() => negotiator.rollback(), ComponentError);
  assert.equal(negotiator.generation, 1);
});

test('swaps at once come one after the other', async () => {
  const negotiator = await load(FACETS);
  const [exact, highest] = await Promise.all(
    ['exact', 'highest'].map((name) => packaged(`policies/${name}.wasm`)),
  );
  const policies = [exact, highest, exact, highest];
  assert.deepEqual(
    await Promise.all(policies.map((policy) => negotiator.swapPolicy(policy))),
    [2, 3, 4, 5],
  );
  assert.equal(negotiator.settle(names('1.0'), AT).policy, highest.digest);
});

test('a policy that fails is a refusal on the record', async () => {
  const text = readFileSync(new URL('../policies/failing.wat', HERE), 'utf8');
  for (const judge of ['unreachable', '(i32.const -1)', '(call 0 (local.get 0)) unreachable']) {
    // The last calls itself until the stack ends.
    const wat = judge.includes('call 0')
      ? text.replace(
          '(result i32) unreachable)',
          '(result i32) (call $j (local.get 0)))',
        ).replace('(func (export "judge")', '(func $j (export "judge")')
      : text.replace('(result i32) unreachable)', `(result i32) ${judge})`);
    const bytes = await parse(wat);
    const negotiator = await load(FACETS);
    await negotiator.swapPolicy(await compileComponent(bytes, sha256(bytes)));
    for (const facts of [names(), negotiator.readInbound(names())]) {
      const settled = negotiator.settle(facts, AT);
      const expected = { refusal: 'unsupported', cause: 'policy-failed' };
      assert.deepEqual(settled.decision, { tag: 'refused', val: expected });
      assert(settled.entry.payload.includes('"outcome":"refused"'));
      assert.deepEqual(negotiator.decide(facts), settled.decision);
    }
    assert.equal(negotiator.settle(names('0.2'), AT).decision.val.cause, 'named-below-floor');
  }
});

test('a composed file takes over', async (context) => {
  const root = new URL('../../../', HERE);
  const command =
    process.env.NEGOTIATOR_COMMAND ?? fileURLToPath(new URL('target/debug/negotiator', root));
  if (!existsSync(command)) {
    assert.notEqual(process.env.CI, 'true', 'build the command: cargo build -p negotiator');
    context.skip('no command to compose with: cargo build -p negotiator');
    return;
  }
  const file = join(mkdtempSync(join(tmpdir(), 'negotiator-')), 'composed.wasm');
  const policy = fileURLToPath(new URL('dist/policies/exact.wasm', root));
  const made = execFileSync(command, ['compose', '--policy', policy, '-o', file]);
  const { digest } = JSON.parse(made.toString('utf8'));
  const [composed, exact] = await Promise.all([
    compileComponent(readFileSync(file), digest),
    packaged('policies/exact.wasm'),
  ]);
  const [alone, linked] = await Promise.all([load(FACETS), load(FACETS)]);
  await alone.swapComponent(composed);
  await linked.swapPolicy(exact);
  const listing = { tag: 'offers', val: ['0.3', '1.0'] };
  const outbound = { protocol: 'a2a', authenticated: true, requested: '1.1', listing };
  for (const facts of [names('1.0'), names(), outbound]) {
    const { policy: ours, ...one } = alone.settle(facts, AT);
    const { policy: theirs, ...two } = linked.settle(facts, AT);
    assert.deepEqual(one, two);
    assert.deepEqual([ours, theirs], [composed.digest, exact.digest]);
  }
  // The default policy takes the best that both speak; this one only what was asked for.
  assert.equal(alone.settle(outbound, AT).decision.val.cause, 'policy-denied');
  alone.rollback();
  assert.equal(alone.settle(outbound, AT).decision.val.cause, 'common');
});

test('the quick start of the README runs', () => {
  const readme = readFileSync(new URL('README.md', HERE), 'utf8');
  const code = readme.split('```js\n')[1].split('```')[0];
  assert(code.trim().split('\n').length <= 10);
  const cwd = new URL('.', HERE);
  const out = execFileSync('node', ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' });
  assert(out.startsWith('0.3 {"protocol":"a2a"'));
});
