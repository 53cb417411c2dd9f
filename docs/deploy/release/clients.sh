#!/usr/bin/env bash
# Builds the client packages in FOLDER, by default target/client-packages of the repository: a wheel and a
# source archive for Python, an archive for npm, and a crate.
#   docs/deploy/release/clients.sh [FOLDER]
# Needs cargo, node with npm, and python3 with venv. Installs pinned versions of all other tools below the
# target folder and in crates/client/typescript.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
out=${1:-$target/client-packages}
tools=$target/client-tools
mkdir -p "$out" "$tools"
out=$(cd "$out" && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
BUILD=1.6.0
SETUPTOOLS=84.2.1

# Runs a command and prints its output only if it fails.
quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }; }

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
for manifest in typescript/package.json python/pyproject.toml; do
    grep -q "version\"* *[:=] *\"$version\"" "$root/crates/client/$manifest" ||
        { echo "crates/client/$manifest: set the version to $version, as in Cargo.toml" >&2; exit 1; }
done

rm -f "$out"/payroll?client-*
[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
quietly "$tools/venv/bin/pip" install --disable-pip-version-check "build==$BUILD" "setuptools==$SETUPTOOLS"
quietly "$tools/venv/bin/python" -m build --no-isolation --outdir "$out" "$root/crates/client/python"

cd "$root/crates/client/typescript"
[ node_modules/.package-lock.json -nt package-lock.json ] || quietly npm ci --ignore-scripts --no-audit --no-fund
quietly npm run build
# The package is already built. Without --ignore-scripts, npm would build it again.
quietly npm pack --ignore-scripts --pack-destination "$out"

cd "$root"
# The crate is compiled when it is installed, not here. --allow-dirty also packages uncommitted changes.
quietly cargo package --package payroll-client --no-verify --allow-dirty --locked --target-dir "$target"
cp "$target/package/payroll-client-$version.crate" "$out/"
(cd "$out" && ls -d payroll?client-*)
