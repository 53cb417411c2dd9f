#!/usr/bin/env bash
# Makes Python clients from both descriptions with openapi-generator, and goes with them against a demo
# that it starts by itself. The partner's goes from a token to checks: every value that it reads, before
# and after the pay period is processed, is compared with what the server says. The operator's makes a
# company, a worker and a pay period, and completes that. Needs cargo, java and python3; what it installs
# is pinned and stays below the target folder. Other languages: clients.sh.
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
