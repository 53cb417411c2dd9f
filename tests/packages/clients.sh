#!/usr/bin/env bash
# Builds the client packages in Python, TypeScript and Rust, runs their unit tests, and installs each package from its
# file into an empty folder. There it runs the first steps against a demo: read the lists, add checks, read them back,
# send a wrong batch, verify a notification.
#
#   tests/packages/clients.sh                    all of them
#   tests/packages/clients.sh python rust        these; the others need the notification that python receives
#   DEMO_SERVER=target/release/payroll-server tests/packages/clients.sh     with this server, not built
#
# It needs cargo, node with npm, python3, and port 9000. The package files are in target/client-packages afterwards.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/openapi/demo.sh

root=$PWD
programs=$root/tests/packages/clients
out="$target/client-packages"
build_version=1.6.0
setuptools_version=84.2.1
mkdir -p "$out"
work=$(mktemp -d)

# The headline of a step, with the seconds since the beginning.
say() { printf '%3d s  %s\n' "$SECONDS" "$*"; }

python_client() {
    local source=$root/crates/client/python
    [ -x "$out/venv/bin/python" ] || python3 -m venv "$out/venv"
    "$out/venv/bin/pip" install --quiet --disable-pip-version-check "build==$build_version" "setuptools==$setuptools_version"
    rm -f "$out"/payroll_client-*
    "$out/venv/bin/python" -m build --no-isolation --outdir "$out" "$source" >"$work/python.log" 2>&1 || { cat "$work/python.log" >&2; return 1; }
    say "python: built $(cd "$out" && echo payroll_client-*)"
    (cd "$source" && PYTHONPATH=src python3 -m unittest discover --top-level-directory . --start-directory tests --buffer 2>&1 | tail -n 3 | tr '\n' ' ') && echo
    python3 -m venv "$work/python"
    "$work/python/bin/pip" install --quiet --disable-pip-version-check --no-index "$out"/payroll_client-*.whl
    say "python: installed into an empty environment"
    (cd "$work/python" && "$work/python/bin/python" -I "$programs/first.py")
}

typescript_client() {
    local source=$root/crates/client/typescript
    rm -f "$out"/payroll-client-*.tgz
    (
        cd "$source"
        [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
        npm test --silent >"$work/typescript.log" 2>&1 || { cat "$work/typescript.log" >&2; exit 1; }
        # The tests have built it.
        npm pack --ignore-scripts --silent --pack-destination "$out" >/dev/null
    )
    say "typescript: built $(cd "$out" && echo payroll-client-*.tgz), $(grep '^# pass' "$work/typescript.log" | tr -d '#') tests"
    mkdir -p "$work/typescript"
    cp "$programs/first.ts" "$work/typescript/"
    cd "$work/typescript"
    echo '{"type": "module", "private": true}' >package.json
    npm install --offline --ignore-scripts --no-audit --no-fund --loglevel=error "$out"/payroll-client-*.tgz >/dev/null
    "$source/node_modules/.bin/tsc" --strict --target es2022 --module nodenext --lib es2023,dom --types '' first.ts
    say "typescript: installed into an empty folder and compiled"
    node first.js
    cd "$root"
}

rust_client() {
    cargo package --quiet --package payroll-client --no-verify --allow-dirty --locked --target-dir "$target"
    rm -f "$out"/payroll-client-*.crate
    cp "$(ls -t "$target"/package/payroll-client-*.crate | head -n 1)" "$out/"
    mkdir -p "$work/rust/src"
    tar -xzf "$out"/payroll-client-*.crate -C "$work"
    say "rust: packaged $(cd "$out" && echo payroll-client-*.crate)"
    cp "$programs/first.rs" "$work/rust/src/main.rs"
    # The versions that this repository tests. Cargo removes the packages that the program does not use.
    cp Cargo.lock "$work/rust/"
    cat >"$work/rust/Cargo.toml" <<MANIFEST
[package]
name = "first"
edition = "2024"

[dependencies]
payroll-client = { path = "$(echo "$work"/payroll-client-*)" }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt"] }

[profile.dev]
debug = false

[workspace]
MANIFEST
    (cd "$work/rust" && cargo build --quiet --target-dir "$out/rust-target")
    say "rust: compiled in an empty folder"
    "$out/rust-target/debug/first"
}

start_demo
trap 'kill $demo 2>/dev/null || true; rm -rf "$work" "$page" "$page.log"' EXIT
say "the demo is at $BASE"
[ $# -gt 0 ] || set -- python typescript rust
for language in "$@"; do
    case $language in
    python) RECEIVED=$work/received.json python_client ;;
    typescript | rust) RECEIVED=$(cat "$work/received.json") "${language}_client" ;;
    *) echo "$language: unknown; there are python, typescript, rust" >&2 && exit 1 ;;
    esac
done
say "all packages work"
