#!/usr/bin/env bash
# Builds the documentation as a book with search in target/book, and fails on a broken link.
# Installs mdBook once, in the user's cache. Needs python3.
set -euo pipefail
cd "$(dirname "$0")"

VERSION=0.5.4
TOOLS="${XDG_CACHE_HOME:-$HOME/.cache}/mdbook-$VERSION"

if [ ! -x "$TOOLS/bin/mdbook" ]; then
    # The server and the file watcher of mdBook, and optimization, would take most of the compile time.
    CARGO_TARGET_DIR="$TOOLS/build" CARGO_PROFILE_DEV_DEBUG=false \
        cargo install mdbook --version "$VERSION" --locked --quiet --debug \
        --no-default-features --features search --root "$TOOLS"
    rm -rf "$TOOLS/build"
fi
"$TOOLS/bin/mdbook" build
python3 book.py check ../target/book
