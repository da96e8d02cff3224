// Headless Chromium over a pipe: its DevTools protocol, as far as the test of the console needs it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens a page. */
export async function opened(url) {
  const profile = mkdtempSync(join(tmpdir(), 'negotiator-console-'));
  const child = spawn(
    process.env.CHROMIUM ?? 'chromium',
    [
      '--headless=new',
      // Only the console is opened; root in a container has no sandbox.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--remote-debugging-pipe',
      '--window-size=1100,1500',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit');
  const waiting = new Map();
  const said = [];
  let last = 0;
  let sessionId;
  let rest = '';
  child.stdio[4].setEncoding('utf8').on('data', (text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const message of messages.map((one) => JSON.parse(one))) {
      const { resolve, reject } = waiting.get(message.id) ?? {};
      waiting.delete(message.id);
      if (message.error) reject?.(new Error(message.error.message));
      else resolve?.(message.result);
      // Whatever a page complains of: errors, and what its own policy forbids.
      if (message.method === 'Runtime.exceptionThrown') said.push(message.params.exceptionDetails.text);
      if (message.method === 'Log.entryAdded') said.push(message.params.entry.text);
    }
  });
  const gone = ended.then(([code]) => {
    for (const { reject } of waiting.values()) reject(new Error(`the browser ended with ${code}`));
  });
  const send = (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.stdio[3].write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });

  const { targetInfos } = await send('Target.getTargets');
  const { targetId } = targetInfos.find(({ type }) => type === 'page');
  ({ sessionId } = await send('Target.attachToTarget', { targetId, flatten: true }));
  for (const domain of ['Page', 'Runtime', 'Log', 'DOM']) await send(`${domain}.enable`);
  await send('Page.navigate', { url });

  /** What an expression is in the page. */
  const get = async (expression) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  /** Waits until an expression holds. */
  const until = async (expression, seconds = 60) => {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
      if (await get(`Boolean(${expression})`)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`not in time: ${expression}\n${await get('document.body.innerText')}`);
  };
  /** Chooses a file, as a person does. */
  const choose = async (selector, file) => {
    const { root } = await send('DOM.getDocument');
    const { nodeId } = await send('DOM.querySelector', { nodeId: root.nodeId, selector });
    await send('DOM.setFileInputFiles', { nodeId, files: [file] });
  };
  const press = async (key) => {
    for (const type of ['keyDown', 'keyUp']) {
      const text = type === 'keyDown' && key === 'Enter' ? '\r' : undefined;
      await send('Input.dispatchKeyEvent', { type, key, code: key, windowsVirtualKeyCode: KEYS[key], text });
    }
  };
  const picture = async () => {
    const { data } = await send('Page.captureScreenshot', { captureBeyondViewport: true });
    return Buffer.from(data, 'base64');
  };
  const stop = async () => {
    child.kill();
    await gone;
    // Its other processes end a little later, and may still write.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  };
  return { get, until, choose, press, picture, said, stop, send };
}

const KEYS = { Tab: 9, Enter: 13, Escape: 27 };
