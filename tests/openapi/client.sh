#!/usr/bin/env bash
# Makes a Python client from docs/openapi.json with openapi-generator, and goes with it from a token to
# checks against a demo that it starts by itself: every value that it reads, before and after the pay
# period is processed, is compared with what the server says. Needs cargo, java and python3; what it
# installs is pinned and stays below the target folder. Other languages: clients.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/openapi/demo.sh
source tests/openapi/generator.sh

client="$target/openapi-clients/python"
generate python "$client" --package-name payroll_client
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "$client"

start_demo
"$tools/venv/bin/python" tests/openapi/journey.py "$BASE" "$KEY" "$SECRET" |
    python3 tests/openapi/compare.py "$BASE" "$KEY" "$SECRET"
