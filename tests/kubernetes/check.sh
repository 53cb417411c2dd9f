#!/usr/bin/env bash
# Validates the Kubernetes manifests against the schemas of the API, and checks that they are consistent.
# Needs python3 with venv. Installs a pinned validator into the user's cache.
set -euo pipefail
cd "$(dirname "$0")"

VERSION=1.37.0
tools="${XDG_CACHE_HOME:-$HOME/.cache}/kubernetes-validate-$VERSION"
if [ ! -x "$tools/bin/kubernetes-validate" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" --quiet --disable-pip-version-check install "kubernetes-validate==$VERSION"
fi
"$tools/bin/kubernetes-validate" --strict ../../docs/deploy/kubernetes/[!k]*.yaml
"$tools/bin/python" check.py ../../docs/deploy/kubernetes
