#!/usr/bin/env bash
# Generates Python clients from both descriptions with openapi-generator, and runs their journeys against a
# demo. The partner's hires a worker, sets up the worker's pay, adds a check and reads everything back. Every
# value that it reads is compared with what the server sent (compare.py). The operator's creates a company, a
# worker and a pay period, and completes the pay period.
#
# It needs java and python3, and cargo unless DEMO_SERVER is the path of a server. It installs pinned versions
# of everything else below the target folder. Other languages: clients.sh.
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
ACTIVATE=$PWD/tests/openapi/activate.py python3 tests/openapi/compare.py "$BASE" "$KEY" "$SECRET" \
    "$tools/venv/bin/python" tests/openapi/journey.py
"$tools/venv/bin/python" tests/openapi/operator_journey.py "${OPERATOR%/operator/v1}" "$OPERATOR_KEY"
