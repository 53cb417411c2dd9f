#!/usr/bin/env bash
# Type-checks the console and the portal with types that are generated from the OpenAPI descriptions, and
# compares the copied libraries with their packages. Needs Node.js. Installs all packages in this folder, in
# the versions from package-lock.json.
set -euo pipefail
cd "$(dirname "$0")"

# Installs the packages again if package-lock.json is newer than the installation.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
fi
node vendor.mjs --check
mkdir -p types
npx openapi-typescript ../../docs/operator-openapi.json --output types/operator.d.ts >/dev/null
npx openapi-typescript ../../docs/openapi.json --output types/partner.d.ts >/dev/null
npx tsc --project .

# The total compressed size of all files except the font. Each file is compressed separately, as by a proxy.
limit=250000
bytes=$(find assets -type f ! -name '*.woff2' -exec gzip -9 --stdout {} \; | wc -c)
[ "$bytes" -le "$limit" ] || { echo "the console and the portal have $bytes bytes compressed, more than $limit" >&2; exit 1; }
echo "the console and the portal fit their APIs, in $bytes bytes compressed"
