#!/usr/bin/env bash
# Generates Python clients from both OpenAPI descriptions with openapi-generator, and runs a scenario with
# each client against a demo. The partner client hires a worker, sets up the worker's pay, adds a check and
# reads all objects back. compare.py compares every value that this client reads with the value in the
# response. The operator client creates a company, a worker and a pay period, and completes the pay period.
#
# Needs java and python3, and cargo unless DEMO_SERVER is the path of a server. Installs pinned versions of
# all other tools below the target folder. For other languages, see clients.sh.
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
