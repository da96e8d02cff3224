#!/usr/bin/env bash
# Runs the fuzz targets, one after the other, and says what each did.
#
#   tests/fuzz/run.sh                       one hour, all targets
#   tests/fuzz/run.sh 600 wire json         ten minutes for these two together
#
# Needs `cargo install --locked cargo-fuzz@0.13.2` and a C++ compiler. No nightly toolchain: the
# code has no `unsafe` of its own, so the address sanitizer, which needs one, is left out.
# What is found lies in tests/fuzz/artifacts; what is learnt lies in the target folder, and
# `run.sh --keep` makes the smallest corpus of it that reaches as much, for a commit.
set -euo pipefail
cd "$(dirname "$0")"

all=(wire facets json origin envelope trust_file inspect)
core=(wire facets json origin)
target_dir=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR=$target_dir
learnt=$target_dir/corpus

# The targets of the rules alone are built without the engine, which takes minutes.
features() {
  if [[ " ${core[*]} " == *" $1 "* ]]; then echo --no-default-features; fi
}

fuzz() {
  local command=$1 target=$2
  shift 2
  # shellcheck disable=SC2046
  cargo fuzz "$command" --fuzz-dir . --sanitizer none $(features "$target") "$target" "$@"
}

if [ "${1:-}" = --keep ]; then
  shift
  for target in "${@:-${all[@]}}"; do
    fuzz cmin "$target" "$learnt/$target" -- -max_len=1024
    rm -rf "corpus/$target" && mkdir -p "corpus/$target"
    # Small ones, named by their content, at most 64.
    find "$learnt/$target" -type f -size -1025c -printf '%s %p\n' | sort -n | head -n 64 |
      while read -r _ file; do
        cp "$file" "corpus/$target/$(sha256sum <"$file" | cut -c1-16)"
      done
  done
  exit
fi

seconds=${1:-3600}
shift || true
if [ $# -gt 0 ]; then targets=("$@"); else targets=("${all[@]}"); fi
each=$((seconds / ${#targets[@]}))

failed=0
for target in "${targets[@]}"; do
  mkdir -p "$learnt/$target" "$target_dir/logs"
  log=$target_dir/logs/$target.log
  options=(-max_total_time="$each" -timeout=20 -rss_limit_mb=2048 -max_len=4096
    -print_final_stats=1 -dict=dictionary)
  if [ "$target" = inspect ]; then
    options+=(-max_len=16384)
    # Too large to be committed twice.
    cp ../../dist/policies/*.wasm "$learnt/$target"
  fi
  result=passed
  fuzz run "$target" "$learnt/$target" "corpus/$target" -- "${options[@]}" >"$log" 2>&1 ||
    { result=FAILED; failed=1; }
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  memory=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
  edges=$(grep -o ' cov: [0-9]*' "$log" | tail -n 1 | tr -dc 0-9)
  printf '%-10s %s: %s runs, %s a second, %s edges, %s MB at most, %s s\n' \
    "$target" "$result" "${runs:-?}" "${rate:-?}" "${edges:-?}" "${memory:-?}" "$each"
  if [ "$result" = FAILED ]; then tail -n 40 "$log"; fi
done
exit $failed
