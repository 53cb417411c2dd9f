#!/usr/bin/env bash
# Lints docs/openapi.json and docs/operator-openapi.json with Spectral and openapi-spec-validator. Spectral
# uses its default OpenAPI rules, and any result is a failure. Needs node and python3. Installs pinned
# versions of both tools below the target folder.
set -euo pipefail
cd "$(dirname "$0")/../.."

spectral_version=6.16.3
validator_version=0.9.0
tools="${CARGO_TARGET_DIR:-target}/openapi-tools"
descriptions=("$@")
[ $# -gt 0 ] || descriptions=(docs/openapi.json docs/operator-openapi.json)

mkdir -p "$tools/spectral"
[ -x "$tools/spectral/node_modules/.bin/spectral" ] ||
    npm install --silent --no-audit --no-fund --prefix "$tools/spectral" "@stoplight/spectral-cli@$spectral_version"
[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "openapi-spec-validator==$validator_version"

echo 'extends: ["spectral:oas"]' >"$tools/spectral.yaml"
"$tools/spectral/node_modules/.bin/spectral" lint --fail-severity=hint --ruleset "$tools/spectral.yaml" "${descriptions[@]}"
"$tools/venv/bin/openapi-spec-validator" "${descriptions[@]}"
