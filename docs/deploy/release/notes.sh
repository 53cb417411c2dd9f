#!/usr/bin/env bash
# Prints the section of a version in CHANGELOG.md, without its heading. Fails if the version has no section.
#   docs/deploy/release/notes.sh 0.1.0
set -euo pipefail
cd "$(dirname "$0")/../../.."
notes=$(awk -v version="$1" '
    /^## / { on = index($0 " ", " " version " ") > 0 || index($0, "[" version "]") > 0; next }
    on' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || { echo "CHANGELOG.md has no section for $1" >&2; exit 1; }
printf '%s\n' "$notes"
