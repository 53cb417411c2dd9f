#!/usr/bin/env bash
# Holds the console against the types of the operator API, which come from its description, and its
# libraries against their packages. Needs node; installs the rest here, in the versions of package-lock.json.
set -euo pipefail
cd "$(dirname "$0")"

# Anew where the list of packages is newer than what is installed.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
fi
node vendor.mjs --check
mkdir -p types
npx openapi-typescript ../../docs/operator-openapi.json --output types/operator.d.ts >/dev/null
npx tsc --project .

# What a browser loads, each file by itself, as small as a proxy can make it.
limit=250000
bytes=$(find assets -type f -exec gzip -9 --stdout {} \; | wc -c)
[ "$bytes" -le "$limit" ] || { echo "the console has $bytes bytes compressed, more than $limit" >&2; exit 1; }
echo "the console fits the operator API, in $bytes bytes compressed"
