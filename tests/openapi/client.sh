#!/usr/bin/env bash
# Generates Python clients from both descriptions with openapi-generator, starts a demo, and runs the clients
# against it. The partner's client gets a token and adds checks. Every value that it reads, before and after
# the pay period is processed, is compared with the server's data. The operator's client creates a company,
# a worker and a pay period, and completes the period. Needs cargo, java and python3. Installs pinned tools
# below the target folder. For other languages, see clients.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/openapi/demo.sh
source tests/openapi/generator.sh

client="$target/openapi-clients/python"
generate python "$client" --package-name payroll_client
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "$client"

operator="$target/openapi-clients/operator"
DESCRIPTION=docs/operator-openapi.json generate python "$operator" --package-name operator_client
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "$operator"

start_demo
"$tools/venv/bin/python" tests/openapi/journey.py "$BASE" "$KEY" "$SECRET" |
    python3 tests/openapi/compare.py "$BASE" "$KEY" "$SECRET"
"$tools/venv/bin/python" tests/openapi/operator_journey.py "${OPERATOR%/operator/v1}" "$OPERATOR_KEY"
