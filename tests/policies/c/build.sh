#!/bin/sh
# Makes a core module of policy.c: build.sh OUT.wasm. `cargo xtask test` makes a component of it.
#
# Needs clang (CLANG names it) and lld for wasm: Debian's packages clang-22 and lld-22.
set -eu
cd "$(dirname "$0")"
exec "${CLANG:-clang}" --target=wasm32 -O2 -Wall -Wextra -Wno-unused-parameter -Werror \
  -ffreestanding -nostdlib -Wl,--no-entry -Wl,--strip-all -o "$1" policy.c
