#!/usr/bin/env bash
# Builds the files that all packages contain, in FILES or by default in target/release-files of the
# repository: the program, its manual pages, completions, licences, and the list of its dependencies (SBOM,
# CycloneDX).
#
# The build is reproducible: the same commit, Rust, C compiler and target give the same bytes in any folder.
#   BINARY=FILE    uses this program instead of building one, to try out the packages
#   SBOM=no        omits the list of dependencies, so that cargo-cyclonedx is not needed
# Needs git, python3 and the compilers of the project.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
# The default does not depend on CARGO_TARGET_DIR, because the manifest of the Debian package names this
# folder.
files=${FILES:-$root/target/release-files}

# All files get the time of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# Replaces the paths of this machine with fixed paths, in the output of the Rust and C compilers.
build() {
    local cargo_home=${CARGO_HOME:-$HOME/.cargo} target=${CARGO_TARGET_DIR:-$root/target}
    export RUSTFLAGS="--remap-path-prefix=$target=/target --remap-path-prefix=$root=/src --remap-path-prefix=$cargo_home=/cargo"
    export CFLAGS="-ffile-prefix-map=$target=/target -ffile-prefix-map=$root=/src -ffile-prefix-map=$cargo_home=/cargo"
    cargo build --release --locked --package payroll-server --target-dir "$target"
    cp "$target/release/payroll-server" "$files/"
}

# Installs cargo-cyclonedx once, in the user's cache.
CYCLONEDX=0.5.9
sbom() {
    local tools="${XDG_CACHE_HOME:-$HOME/.cache}/cargo-cyclonedx-$CYCLONEDX"
    if [ ! -x "$tools/bin/cargo-cyclonedx" ]; then
        CARGO_TARGET_DIR="$tools/build" cargo install cargo-cyclonedx --version "$CYCLONEDX" --locked --quiet --root "$tools"
        rm -rf "$tools/build"
    fi
    # cargo-cyclonedx writes a file next to each manifest of the workspace. The one of crates/server is used.
    "$tools/bin/cargo-cyclonedx" cyclonedx --manifest-path Cargo.toml --format json --override-filename release-sbom \
        --target "$(rustc -vV | sed -n 's/^host: //p')" --quiet
    # Replaces the path of this folder, which differs between machines.
    sed "s|$root|/src|g" crates/server/release-sbom.json >"$files/payroll-server.cdx.json"
    find . -name release-sbom.json -not -path './target/*' -delete
}

rm -rf "$files"
mkdir -p "$files/man" "$files/completions"
if [ -n "${BINARY:-}" ]; then cp "$BINARY" "$files/payroll-server"; else build; fi
chmod 755 "$files/payroll-server"
"$files/payroll-server" man "$files/man" >/dev/null
"$files/payroll-server" completions bash >"$files/completions/payroll-server.bash"
"$files/payroll-server" completions zsh >"$files/completions/_payroll-server"
"$files/payroll-server" completions fish >"$files/completions/payroll-server.fish"
cp LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md crates/server/demo/companies.ndjson docs/deploy/payroll-server.service "$files/"
[ "${SBOM:-yes}" = no ] || sbom
echo "$files"
