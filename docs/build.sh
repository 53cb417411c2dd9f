#!/usr/bin/env bash
# Builds the documentation as a book with search in target/book, and fails on a broken link.
# mdBook is installed once, into the cache of the user. Needs python3.
set -euo pipefail
cd "$(dirname "$0")"

VERSION=0.5.4
TOOLS="${XDG_CACHE_HOME:-$HOME/.cache}/mdbook-$VERSION"

if [ ! -x "$TOOLS/bin/mdbook" ]; then
    # Without its server and watcher and without optimization, which take most of the time to compile.
    CARGO_TARGET_DIR="$TOOLS/build" CARGO_PROFILE_DEV_DEBUG=false \
        cargo install mdbook --version "$VERSION" --locked --quiet --debug \
        --no-default-features --features search --root "$TOOLS"
    rm -rf "$TOOLS/build"
fi
"$TOOLS/bin/mdbook" build
python3 book.py check ../target/book
