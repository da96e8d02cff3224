/* The digest of the file that this library loads, written by `cargo xtask dist`. */
#ifndef NEGOTIATOR_PINS_H
#define NEGOTIATOR_PINS_H

#define NEGOTIATOR_PIN "4f4ee39f50ea12d1042dbb34fdaace779624faeedc93a584ece4eb7ca947fc6b" /* negotiator.wasm */

#endif
