#!/usr/bin/env bash
# Builds the client packages in Python, TypeScript and Rust, and runs the unit tests of the first two (`cargo
# test` runs those in Rust). Then installs each package from its file into an empty folder, and runs a program
# against a demo. The program reads the lists, adds checks, reads them back, sends an invalid batch and
# verifies a notification. Afterwards a second program gets a token with a private key, whose public key was
# registered, and verifies the notification with the keys of the server.
#
#   tests/packages/clients.sh
#   DEMO_SERVER=target/release/payroll-server tests/packages/clients.sh     uses this server, builds none
#
# Needs cargo, node with npm, openssl, python3 with venv, and port 9000 for the notification. Leaves the
# package files in target/client-packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/openapi/demo.sh

root=$PWD
programs=$root/tests/packages/clients
out=$target/client-packages
# docs/deploy/release/clients.sh creates this environment.
tools=$target/client-tools/venv/bin
# The version of the package `cryptography`, which the extra `keys` requires.
CRYPTOGRAPHY=50.0.2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints a step with the seconds since the start.
say() { printf '%3d s  %s\n' "$SECONDS" "$*"; }

# Prints the example program of a language from the guide.
guide() { sed -n "/^\`\`\`$1\\b/,/^\`\`\`$/{/^\`\`\`/d;p}" "$root/docs/guides/clients.md"; }

unit_tests() {
    "$tools/pip" install --quiet --disable-pip-version-check "cryptography==$CRYPTOGRAPHY"
    (cd crates/client/python && PYTHONPATH=src "$tools/python" -m unittest discover -t . -s tests) >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    say "python: $(grep '^Ran' "$work/log")"
    (cd crates/client/typescript && node_modules/.bin/tsc --project test && node --test test/*.test.mjs) >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; return 1; }
    say "typescript: $(sed -n 's/^# pass \(.*\)/Ran \1 tests/p' "$work/log")"
}

python_client() {
    python3 -m venv "$work/python"
    "$work/python/bin/pip" install --quiet --disable-pip-version-check --no-index "$out"/payroll_client-*.whl
    say "python: installed $(basename "$out"/payroll_client-*.whl) into an empty environment"
    guide python >"$work/python/guide.py"
    (cd "$work/python" && bin/python -I "$programs/first.py" && bin/python -I guide.py)
}

# Registers a public key. The programs then use its private key instead of the secret.
register_key() {
    PRIVATE_KEY=$(openssl genpkey -algorithm ed25519)
    export PRIVATE_KEY
    "$work/python/bin/pip" install --quiet --disable-pip-version-check \
        "$(echo "$out"/payroll_client-*.whl)[keys]" "cryptography==$CRYPTOGRAPHY"
    "$work/python/bin/python" -I "$programs/register.py"
}

typescript_client() {
    mkdir "$work/typescript"
    cp "$programs"/*.ts "$work/typescript/"
    guide ts >"$work/typescript/guide.ts"
    # The types of Node.js are not installed, to verify that the package does not need them.
    echo 'declare const process: { env: Record<string, string | undefined> };' >"$work/typescript/process.d.ts"
    echo '{"type": "module", "private": true}' >"$work/typescript/package.json"
    (
        cd "$work/typescript"
        npm install --offline --ignore-scripts --no-audit --no-fund --loglevel=error "$out"/payroll-client-*.tgz >/dev/null
        # Uses the compiler of the repository, because the folder contains none.
        "$root/crates/client/typescript/node_modules/.bin/tsc" --strict --target es2022 --module nodenext --lib es2023,dom *.ts
    )
    say "typescript: installed $(basename "$out"/payroll-client-*.tgz) into an empty folder"
    (cd "$work/typescript" && node first.js && node guide.js && node signed.js)
}

# Runs in parallel with the tests of the other packages, because the compilation takes longest.
compile_rust() {
    mkdir -p "$work/rust/src/bin"
    tar -xzf "$out"/payroll-client-*.crate -C "$work"
    cp "$programs"/*.rs "$work/rust/src/bin/"
    guide rust >"$work/rust/src/bin/guide.rs"
    # Uses the versions that this repository tests. Cargo removes the packages that the program does not use.
    cp Cargo.lock "$work/rust/"
    cat >"$work/rust/Cargo.toml" <<MANIFEST
[package]
name = "first"
edition = "2024"

[dependencies]
payroll-client = { path = "$(echo "$work"/payroll-client-*)" }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }

[profile.dev]
debug = false

[workspace]
MANIFEST
    # The libraries are compiled once, below the target folder.
    cd "$work/rust"
    cargo build --quiet --target-dir "$out/rust-target"
}

rust_client() {
    wait "$compilation" || { cat "$work/rust.log" >&2; return 1; }
    say "rust: installed $(basename "$out"/payroll-client-*.crate) into an empty folder"
    "$out/rust-target/debug/first"
    "$out/rust-target/debug/guide"
    "$out/rust-target/debug/signed"
}

docs/deploy/release/clients.sh "$out" >/dev/null
say "built the packages"
compile_rust >"$work/rust.log" 2>&1 &
compilation=$!
unit_tests
start_demo
trap 'kill $demo $compilation 2>/dev/null || true; rm -rf "$work" "$page" "$page.log"' EXIT
say "started a demo at $BASE"
RECEIVED=$work/received.json python_client
# The other programs verify the notification that the Python program received.
RECEIVED=$(cat "$work/received.json")
export RECEIVED
register_key
"$work/python/bin/python" -I "$programs/signed.py"
typescript_client
rust_client
say "all packages work"
