#!/usr/bin/env bash
# Unpacks a release archive into an empty folder, and runs the first steps of docs/getting-started.md.
#   tests/packages/archive.sh ARCHIVE
#   PATHS=any    skips the check for paths of this machine in the program
# Needs curl and python3, and `man` with groff for checking the manual pages.
set -euo pipefail
archive=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
page=$root/docs/getting-started.md
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

(cd "$(dirname "$archive")" && { sha256sum --check --quiet SHA256SUMS 2>/dev/null || shasum -a 256 --check --quiet SHA256SUMS; }) ||
    fail "the checksum differs"
cd "$work"
tar -xzf "$archive"
cd payroll-server-*
for file in payroll-server LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md companies.ndjson payroll-server.service \
    man/payroll-server.1 man/payroll-server-serve.1 man/payroll-server-settings.5 \
    completions/payroll-server.bash completions/_payroll-server completions/payroll-server.fish; do
    [ -s "$file" ] || fail "$file is missing"
done
# The program must contain no paths of the build machine, which would differ on another machine. A trial build
# with BINARY=… contains them.
if [ "${PATHS:-checked}" = checked ]; then
    python3 - "$HOME/" "$root/" <<'PYTHON' || fail "the program contains paths of this machine"
import sys

with open("payroll-server", "rb") as file:
    program = file.read()
sys.exit(any(path.encode() in program for path in sys.argv[1:]))
PYTHON
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page_of_manual in man/*; do
        warnings=$(MANROFFSEQ='' MANWIDTH=80 man --warnings=mac,syntax --encoding=UTF-8 --local-file "$page_of_manual" 2>&1 >/dev/null)
        [ -z "$warnings" ] || fail "$page_of_manual: $warnings"
    done
fi

# Starts the demo, and runs the first code blocks of the page up to the first stored check.
./payroll-server demo --port 0 --operator-port 0 >demo.txt 2>demo.log &
server=$!
for _ in $(seq 300); do
    if grep -q Ctrl-C demo.txt; then break; fi
    kill -0 "$server" || fail "the demo ended: $(cat demo.log)"
    sleep 0.1
done
printed() { sed -n "s/^  $1  *//p" demo.txt; }
export BASE KEY SECRET
BASE=$(printed "base address") KEY=$(printed client_id) SECRET=$(printed client_secret)
awk '/^## Use the API with curl/ { on = 1 } on && /^```sh/ { inside = 1; next } inside && /^```/ { inside = 0; print ""; if (++blocks == 6) exit } inside' \
    "$page" >first-steps.sh
grep -q 'Idempotency-Key: my-first' first-steps.sh || fail "the page has changed: its sixth block adds no check"
response=$(bash -eu first-steps.sh) || fail "the first steps: $response"
echo "$response" | grep >/dev/null '"paycheckId"' || fail "no check was stored: $response"

# The sample companies can be imported into the user's own server.
./payroll-server import companies.ndjson --dry-run --database-url ./own.db >/dev/null 2>&1 && fail "there is no database yet"
./payroll-server migrate --create --database-url ./own.db >/dev/null 2>&1
./payroll-server import companies.ndjson --database-url ./own.db >/dev/null || fail "the sample companies do not load"
echo "$(basename "$archive"): unpacked, checked, and the first steps work"
