#!/usr/bin/env bash
# Checks the console and the portal against the types of their APIs, which come from the descriptions, and their
# libraries against their packages. Needs node. Installs the rest here in the versions from package-lock.json.
set -euo pipefail
cd "$(dirname "$0")"

# Installs the packages again if their list is newer than the installation.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
fi
node vendor.mjs --check
mkdir -p types
npx openapi-typescript ../../docs/operator-openapi.json --output types/operator.d.ts >/dev/null
npx openapi-typescript ../../docs/openapi.json --output types/partner.d.ts >/dev/null
npx tsc --project .

# The total size of all files but the font, each compressed separately as a proxy does.
limit=250000
bytes=$(find assets -type f ! -name '*.woff2' -exec gzip -9 --stdout {} \; | wc -c)
[ "$bytes" -le "$limit" ] || { echo "the console and the portal have $bytes bytes compressed, more than $limit" >&2; exit 1; }
echo "the console and the portal fit their APIs, in $bytes bytes compressed"
