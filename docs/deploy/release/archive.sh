#!/usr/bin/env bash
# Creates payroll-server-VERSION-TARGET.tar.gz and SHA256SUMS in FOLDER, by default target/packages of the
# repository. Archives of the same commit have identical bytes.
#   docs/deploy/release/archive.sh [FOLDER]
# build.sh, next to this file, describes BINARY and SBOM.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=${1:-$root/target/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)

FILES=${FILES:-$root/target/release-files}
export FILES
"$here/build.sh" >/dev/null

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
target=${TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
name=payroll-server-$version-$target
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}

# Python's tarfile writes the same bytes on Linux and macOS, whose `tar` programs have different options.
python3 - "$FILES" "$name" "$out/$name.tar.gz" "$epoch" <<'PYTHON'
import gzip, os, sys, tarfile

files, name, archive, epoch = sys.argv[1:]


def entry(path, inside):
    info = tarfile.TarInfo(inside)
    info.mtime, info.uid, info.gid, info.uname, info.gname = int(epoch), 0, 0, "root", "root"
    if os.path.isdir(path):
        info.type, info.mode = tarfile.DIRTYPE, 0o755
        return info, None
    info.size, info.mode = os.path.getsize(path), 0o755 if os.access(path, os.X_OK) else 0o644
    return info, open(path, "rb")


paths = [""] + sorted(
    os.path.relpath(os.path.join(folder, child), files)
    for folder, folders, children in os.walk(files)
    for child in folders + children
)
with open(archive, "wb") as plain, gzip.GzipFile("", "wb", 9, plain, mtime=0) as packed:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in paths:
            info, content = entry(os.path.join(files, path), os.path.join(name, path).rstrip("/"))
            tar.addfile(info, content)
PYTHON

cd "$out"
sha256sum "$name.tar.gz" >SHA256SUMS 2>/dev/null || shasum -a 256 "$name.tar.gz" >SHA256SUMS
echo "$out/$name.tar.gz"
