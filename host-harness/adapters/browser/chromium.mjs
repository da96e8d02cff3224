// Serves the page and the package on loopback, and opens pages in headless Chromium.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** `texts`: what is served at a path besides files; `onResult` takes what a page posts. */
export async function serving(texts, onResult) {
  const server = createServer(async (req, res) => {
    const path = normalize(new URL(req.url, 'http://127.0.0.1').pathname);
    if (path === '/result') {
      const body = Buffer.concat(await req.toArray()).toString('utf8');
      onResult(JSON.parse(body));
      res.writeHead(204).end();
      return;
    }
    const root = path.startsWith('/node/') ? join(HERE, '..') : join(HERE, 'page');
    const file = join(root, path === '/' ? '/index.html' : path);
    const content = texts[path] ?? (existsSync(file) ? readFileSync(file) : undefined);
    if (content === undefined) {
      res.writeHead(404).end();
      return;
    }
    res.writeHead(200, { 'content-type': TYPES[extname(path) || '.html'] ?? 'text/plain' });
    res.end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** Opens a page; gives the process, its end, and a way to end it. */
export function opened(url) {
  const profile = mkdtempSync(join(tmpdir(), 'negotiator-browser-'));
  const child = spawn(
    process.env.CHROMIUM ?? 'chromium',
    [
      '--headless=new',
      // Only pages of this folder are opened; root in a container has no sandbox.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      // The replay collects garbage before memory is measured.
      '--js-flags=--expose-gc',
      `--user-data-dir=${profile}`,
      url,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await ended;
    // Its other processes end a little later, and may still write.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  };
  return { pid: child.pid, ended, stop };
}

/** MiB in memory of the largest renderer below a process: the one with the page. */
export function rendererMebibytes(pid) {
  const parents = new Map();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8');
      parents.set(Number(id), {
        parent: Number(status.match(/PPid:\s+(\d+)/)[1]),
        size: Number(status.match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1024,
        renderer: command.includes('--type=renderer'),
      });
    } catch {
      // It ended meanwhile.
    }
  }
  const below = (id) => id === pid || (parents.has(id) && below(parents.get(id).parent));
  const sizes = [...parents].filter(([id, { renderer }]) => renderer && below(id));
  return Math.round(Math.max(0, ...sizes.map(([, { size }]) => size)) * 10) / 10;
}

/** The version of the browser, as it says it. */
export async function version() {
  const child = spawn(process.env.CHROMIUM ?? 'chromium', ['--version'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const text = Buffer.concat(await child.stdout.toArray()).toString('utf8');
  return text.match(/[\d.]+/)?.[0] ?? 'unknown';
}
