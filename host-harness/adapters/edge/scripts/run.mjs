// Runs a bundle in workerd, on ports that it chooses.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import workerd from 'workerd';
import { bundle } from './bundle.mjs';

/** Gives the URLs of the sockets, the process id, and a way to end it. `main`: as in `bundle`. */
export async function running(name, sockets, main) {
  const config = await bundle(name, main);
  const child = spawn(workerd.default, ['serve', config, '--control-fd=3'], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const urls = {};
  const control = createInterface({ input: child.stdio[3] });
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`workerd ended with ${code}`)));
    control.on('line', (line) => {
      const { event, socket, port } = JSON.parse(line);
      if (event !== 'listen') return;
      urls[socket] = `http://127.0.0.1:${port}`;
      if (sockets.every((wanted) => wanted in urls)) resolve();
    });
  });
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { urls, pid: child.pid, stop };
}
