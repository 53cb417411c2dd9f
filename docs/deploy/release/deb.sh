#!/usr/bin/env bash
# Creates payroll-server_VERSION_ARCHITECTURE.deb in FOLDER, by default target/packages of the repository.
#   docs/deploy/release/deb.sh [FOLDER]
#   FILES_ARE_BUILT=yes docs/deploy/release/deb.sh    after archive.sh, which has already built the files
# build.sh, next to this file, describes BINARY. Needs a Debian or Ubuntu machine with dpkg-dev.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=${1:-$root/target/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# crates/server/Cargo.toml contains this path.
FILES=$root/target/release-files
export FILES
[ "${FILES_ARE_BUILT:-no}" = yes ] || SBOM=no "$here/build.sh" >/dev/null

VERSION=3.8.0
tools="${XDG_CACHE_HOME:-$HOME/.cache}/cargo-deb-$VERSION"
if [ ! -x "$tools/bin/cargo-deb" ]; then
    CARGO_TARGET_DIR="$tools/build" cargo install cargo-deb --version "$VERSION" --locked --quiet --root "$tools"
    rm -rf "$tools/build"
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
cd "$root"
"$tools/bin/cargo-deb" --package payroll-server --no-build --no-strip --locked --quiet --output "$out/"
