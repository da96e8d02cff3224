# gate.sh GATE NEGOTIATOR.WASM: the example accepts, refuses, records, and fails closed.
set -eu
gate=$1 component=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ask() { # ask EXPECTED-CODE RECORDS REQUEST-LINE HEADER [TENANT]
  expected=$1 records=$2 code=0
  printf '%s HTTP/1.1\r\n%s\r\n\r\n' "$3" "$4" |
    "$gate" "$component" "$records" ${5+"$5"} >"$work/out" || code=$?
  [ "$code" = "$expected" ] || { echo "exit code $code, expected $expected"; cat "$work/out"; exit 1; }
}
says() { grep -q -e "$1" "$work/out" || { echo "no '$1' in:"; cat "$work/out"; exit 1; }; }

ask 0 "$work/records" 'POST /' 'A2A-Version: 1.0'; says '^1.0$'
ask 0 "$work/records" 'POST /' 'a2a-version: 0.3' acme; says '^0.3$'
ask 1 "$work/records" 'POST /' 'A2A-Version: 0.3'; says 'HTTP/1.1 401'; says 'WWW-Authenticate: Bearer'
ask 1 "$work/records" 'POST /?A2A-Version=0.2 ' 'Host: x'; says 'HTTP/1.1 400'; says -32009
[ "$(grep -c negotiation.decided "$work/records")" = 4 ] || { echo "not four records"; exit 1; }
# A folder cannot be appended to.
ask 1 "$work" 'POST /' 'A2A-Version: 1.0'; says 'HTTP/1.1 503'; says -32603
