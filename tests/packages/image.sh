#!/usr/bin/env bash
# Verifies an OCI image layout and runs its files without a container engine.
#   tests/packages/image.sh FOLDER
# Needs root and Linux, for a separate root folder and network.
set -euo pipefail
layout=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# Checks that every digest and size matches its file, and unpacks the layers in order.
python3 - "$layout" "$work/root" <<'PYTHON' || fail "the layout is not valid"
import gzip, hashlib, io, json, os, sys, tarfile

layout, root = sys.argv[1:]


def load(name):
    with open(os.path.join(layout, name), "rb") as file:
        return file.read()


def blob(descriptor):
    algorithm, digest = descriptor["digest"].split(":")
    content = load(f"blobs/{algorithm}/{digest}")
    assert hashlib.sha256(content).hexdigest() == digest, f"{digest} has another digest"
    assert len(content) == descriptor["size"], f"{digest} has another size"
    return content


assert json.loads(load("oci-layout"))["imageLayoutVersion"] == "1.0.0"
(described,) = json.loads(load("index.json"))["manifests"]
manifest = json.loads(blob(described))
config = json.loads(blob(manifest["config"]))
layers = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
assert [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers] == config["rootfs"]["diff_ids"]
named = {described["digest"], manifest["config"]["digest"], *(layer["digest"] for layer in manifest["layers"])}
assert {f"sha256:{name}" for name in os.listdir(f"{layout}/blobs/sha256")} == named, "a file is named by nothing"
run = config["config"]
assert run["User"] == "65532:65532" and run["Cmd"] == ["serve"] and run["Healthcheck"]["Test"][-1] == "health", run
assert "8081/tcp" not in run["ExposedPorts"], "the operator's listener is published"
os.mkdir(root)
for layer in layers:
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        tar.extractall(root)
PYTHON
[ -z "$(find "$work/root" -name sh -o -name bash -o -name busybox)" ] || fail "there is a shell"

run='chroot --userspec=65532:65532 root /usr/local/bin/payroll-server'
(cd "$work" && $run --version | grep >/dev/null '^payroll-server ') || fail "the program does not run"
# In a separate network namespace, all ports are free. `health` is the health check of the image.
cd "$work"
unshare --net --mount --pid --fork --kill-child bash -euo pipefail -c "
    ip link set lo up
    mount -t proc proc /proc
    export PAYROLL_DATABASE_URL=/var/lib/payroll/payroll.db PAYROLL_LOG_FORMAT=json
    $run serve >serve.log 2>&1 &
    for _ in \$(seq 100); do
        if $run health >health.log 2>&1; then
            kill -TERM \$! && wait \$! && exit 0
        fi
        sleep 0.1
    done
    exit 1
" || fail "it is not healthy: $(cat serve.log health.log)"
[ "$(stat --format %u root/var/lib/payroll/payroll.db)" = 65532 ] || fail "the database belongs to another user"
echo "$(basename "$layout"): valid, runs as user 65532, healthy, and stops"
