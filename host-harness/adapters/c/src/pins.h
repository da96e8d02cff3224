/* The digest of the file that this library loads, written by `cargo xtask dist`. */
#ifndef NEGOTIATOR_PINS_H
#define NEGOTIATOR_PINS_H

#define NEGOTIATOR_PIN "7f662d463b659f17a48387264bd8b13071beb9004996b53b0cfedc6f22c22b79" /* negotiator.wasm */

#endif
