#!/usr/bin/env bash
# Makes a Python client from docs/openapi.json with openapi-generator, and goes with it from a token to
# checks against a demo that it starts by itself. Needs cargo, java and python3; what it installs is
# pinned and stays below the target folder.
set -euo pipefail
cd "$(dirname "$0")/../.."

generator_version=7.26.0
target="${CARGO_TARGET_DIR:-target}"
tools="$target/openapi-tools"
client="$target/openapi-client"
page="$tools/demo.txt"

cargo build --quiet --package payroll-server
mkdir -p "$tools"
[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "openapi-generator-cli==$generator_version"
rm -rf "$client"
"$tools/venv/bin/openapi-generator-cli" generate --generator-name python --input-spec docs/openapi.json \
    --output "$client" --package-name payroll_client >"$tools/generator.log" 2>&1 || {
    tail -n 40 "$tools/generator.log" >&2
    exit 1
}
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "$client"

# The demo prints addresses and secrets on its standard output, and serves until it is told to stop.
"$target/debug/payroll-server" demo --port 0 >"$page" 2>"$tools/demo.log" &
demo=$!
trap 'kill "$demo" 2>/dev/null || true' EXIT
until grep -q 'client_secret=' "$page"; do
    kill -0 "$demo" || {
        cat "$tools/demo.log" >&2
        exit 1
    }
    # A turn of the pipe, not a measure: the line above ends it when the demo does.
    sleep 0.2
done
value() { grep -o "$1=[A-Za-z0-9_-]*" "$page" | head -n 1 | cut -d= -f2; }
base="$(grep -o 'http://127\.0\.0\.1:[0-9]*/auth' "$page" | head -n 1)"
"$tools/venv/bin/python" tests/openapi/journey.py "${base%/auth}" "$(value client_id)" "$(value client_secret)"
