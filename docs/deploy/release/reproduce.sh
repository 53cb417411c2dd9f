#!/usr/bin/env bash
# Builds the archive twice, in two clones of this repository at different paths, and compares the bytes.
#   docs/deploy/release/reproduce.sh
#   BINARY=FILE docs/deploy/release/reproduce.sh    compares everything except the compilation, in seconds
# Two complete builds take about 20 minutes on two cores. Needs the tools of archive.sh. If
# diffoscope is installed, explains a difference.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(git -C "$here" rev-parse --show-toplevel)
if [ -n "${BINARY:-}" ]; then BINARY=$(realpath "$BINARY") && export BINARY; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each clone has its own target folder. A shared one would hide a difference.
unset CARGO_TARGET_DIR FILES
for copy in one another/deeper; do
    git clone --quiet "$root" "$work/$copy"
    "$work/$copy/docs/deploy/release/archive.sh" "$work/$copy-packages" >/dev/null
done
one=$(echo "$work"/one-packages/*.tar.gz)
other=$(echo "$work"/another/deeper-packages/*.tar.gz)
if cmp "$one" "$other"; then
    echo "reproducible: $(cd "$work/one-packages" && cat SHA256SUMS)"
else
    ! command -v diffoscope >/dev/null || diffoscope "$one" "$other" || true
    exit 1
fi
