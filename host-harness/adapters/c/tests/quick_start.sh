# quick_start.sh PROGRAM: the README shows the example's source, and what it prints.
set -eu
block() { awk -v want="\`\`\`$1" '$0 == "```" && on { exit } on { print } $0 == want { on = 1 }' README.md; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
block c >"$work/shown"
sed -n '/^  if (negotiator_component_load/,/^  printf/p' examples/quick_start.c >"$work/source"
sed -n '/^  const char \*offered/,/^  negotiator_context/p' examples/quick_start.c >"$work/values"
cat "$work/values" "$work/source" | sed 's/^  //' | diff "$work/shown" -
block text >"$work/expected"
"$1" | diff "$work/expected" -
