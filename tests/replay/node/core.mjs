// Replays the vectors over the core module, with the canonical ABI by hand: what a host does
// whose runtime has no component model.
//
//     node core.mjs dist/negotiator.core.wasm tests/vectors [ANSWERS]
//
// Memory, in five rules:
// 1. Every function of the `json` interface takes a string as (address, length in bytes) of
//    UTF-8 and gives the address of its result.
// 2. The request goes into memory that the module hands out: cabi_realloc(0, 0, 1, length).
//    The callee then owns it and frees it; the host must not.
// 3. A result<string, string> lies in memory as one tag byte (0 ok, 1 error), three bytes of
//    padding, the address, the length; both little-endian, 32 bits.
// 4. Copy the text out, then call cabi_post_<name>(result address): it frees the answer.
// 5. Any call may grow memory, which detaches every view of it: make views anew after a call.

import { readFileSync } from 'node:fs';
import { load, replay } from './vectors.mjs';

const JSON_INTERFACE = 'openwop:negotiation/json@2.0.0';
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Instantiates the core module; it imports nothing. Gives `ask(operation, text)`. */
export function open(bytes) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  exports._initialize?.();
  return (operation, text) => {
    const name = `${JSON_INTERFACE}#${operation}`;
    const request = encoder.encode(text);
    const address = exports.cabi_realloc(0, 0, 1, request.length);
    new Uint8Array(exports.memory.buffer).set(request, address);
    const result = exports[name](address, request.length);
    const view = new DataView(exports.memory.buffer, result, 12);
    const [tag, start, length] = [
      view.getUint8(0),
      view.getUint32(4, true),
      view.getUint32(8, true),
    ];
    const answer = decoder.decode(new Uint8Array(exports.memory.buffer, start, length));
    exports[`cabi_post_${name}`](result);
    return [tag === 0, answer];
  };
}

if (process.argv.length < 4) {
  console.error('usage: node core.mjs MODULE VECTORS [ANSWERS]');
  process.exit(2);
}
const [module, vectors, answers] = process.argv.slice(2);
process.exitCode = replay(load(vectors), answers, open(readFileSync(module)));
