#!/usr/bin/env bash
# Property tests over HTTP. Schemathesis reads /openapi.json of a running demo, and sends valid and invalid
# requests in four phases (examples, coverage, fuzzing, stateful), with all of its checks. Expected deviations
# from its defaults are in schemathesis.toml, and in operator.toml for the operator API.
#
#   SIDE=operator tests/openapi/schemathesis.sh              tests the operator API
#   tests/openapi/schemathesis.sh              takes one or two minutes
#   EXAMPLES=200 tests/openapi/schemathesis.sh sends more requests. SEED=7 selects others
#   PHASES=examples,coverage tests/openapi/schemathesis.sh   omits the random phases
#   tests/openapi/schemathesis.sh --include-operation-id addChecks   passes arguments to Schemathesis
#
# Needs Python 3 with venv. Installs the rest below the target folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/openapi/demo.sh

VERSION=4.32.5
EXAMPLES=${EXAMPLES:-20}
SEED=${SEED:-1}
PHASES=${PHASES:-examples,coverage,fuzzing,stateful}
venv=$target/schemathesis-$VERSION

# The tests of both APIs can run at the same time. With the lock, one installs Schemathesis and the other
# waits.
install_schemathesis() {
    [ -x "$venv/bin/schemathesis" ] && return
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$VERSION"
}
mkdir -p "$target/schemathesis"
(flock 9 && install_schemathesis) 9>"$target/schemathesis/lock"

# A separate folder, because the stored failures belong to one description.
folder=$target/schemathesis/${SIDE:-partner}
mkdir -p "$folder"
start_demo
if [ "${SIDE:-partner}" = operator ]; then
    export TOKEN=$OPERATOR_KEY BASE=${OPERATOR%/operator/v1}
    export SCHEMATHESIS_HOOKS=$PWD/tests/openapi/operator_hooks.py
    config=$PWD/tests/openapi/operator.toml
    cd "$folder"
    "$venv/bin/schemathesis" --config-file "$config" run "$BASE/openapi.json" \
        --phases "$PHASES" --checks all \
        --max-examples "$EXAMPLES" --seed "$SEED" --warnings off "$@"
    exit
fi
TOKEN=$(curl -sS "$BASE/auth/oauth/v2/token" -u "$KEY:$SECRET" -d grant_type=client_credentials |
    sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')
ask() { curl -sS "$BASE$1" -H "Authorization: Bearer $TOKEN" "${@:2}"; }
# Creates a delivery and an event, and reads their ids and cursors.
ask /management/hooks/demo/test -X POST >/dev/null
DELIVERY=$(ask "/management/hooks/demo/deliveries?limit=1" | sed -n 's/.*"deliveryId":"\([^"]*\)".*/\1/p')
CURSOR=$(ask "/management/events" | sed -n 's/.*[?&]after=\([^"&]*\).*/\1/p')
REQUEST=$(ask "/management/requests?limit=1" | sed -n 's/.*[?&]before=\([^"&]*\).*/\1/p')
export TOKEN DELIVERY CURSOR REQUEST
export SCHEMATHESIS_HOOKS=$PWD/tests/openapi/hooks.py
config=$PWD/tests/openapi/schemathesis.toml
cd "$folder"
"$venv/bin/schemathesis" --config-file "$config" run "$BASE/openapi.json" \
    --phases "$PHASES" --checks all \
    --max-examples "$EXAMPLES" --seed "$SEED" --warnings off "$@"
