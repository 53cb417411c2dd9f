#!/usr/bin/env bash
# Holds the console and the portal against the types of their APIs, which come from the descriptions, and their
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
npx openapi-typescript ../../docs/openapi.json --output types/partner.d.ts >/dev/null
npx tsc --project .

# What a browser loads, each file by itself, as small as a proxy can make it.
limit=250000
bytes=$(find assets -type f -exec gzip -9 --stdout {} \; | wc -c)
[ "$bytes" -le "$limit" ] || { echo "the console and the portal have $bytes bytes compressed, more than $limit" >&2; exit 1; }
echo "the console and the portal fit their APIs, in $bytes bytes compressed"
