#!/usr/bin/env python3
"""Creates a reproducible OCI image of the server without a container engine.

    docs/deploy/release/image.py PROGRAM FOLDER

PROGRAM is payroll-server, which build.sh creates in target/release-files. The script writes an OCI image
layout to FOLDER. It writes the same image to FOLDER.tar, for `docker load`, `podman load` and
`skopeo copy oci-archive:`.

The image contains the program, its shared libraries, root certificates and an unprivileged user. It has no
shell. The script runs on Linux, and needs `ldd` and the package ca-certificates.
"""
import gzip
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import tarfile
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
USER = 65532
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
STATE = "/var/lib/payroll"
PROGRAM = "/usr/local/bin/payroll-server"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
OCI = "application/vnd.oci.image."


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def epoch():
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))


def version():
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as manifest:
        return re.search(r'^version = "(.*)"', manifest.read(), re.M)[1]


def libraries(program):
    """Returns the paths of the shared libraries, as the loader resolves them on this machine."""
    listed = output("ldd", program)
    paths = re.findall(r"(?:=> )?(/\S+) \(0x", listed)
    if not paths or "not found" in listed:
        raise SystemExit(f"ldd {program}: {listed}")
    return sorted(set(paths))


class Layer:
    """A layer of the image. By default, files belong to root. All files have the time of the commit."""

    def __init__(self, time):
        self.time, self.bytes, self.folders = time, io.BytesIO(), set()
        self.tar = tarfile.open(fileobj=self.bytes, mode="w", format=tarfile.USTAR_FORMAT)

    def add(self, path, content, mode=0o644, owner=0, kind=tarfile.REGTYPE):
        parent = os.path.dirname(path)
        if parent != "/" and parent not in self.folders:
            self.folder(parent)
        info = tarfile.TarInfo(path.lstrip("/"))
        info.mtime, info.mode, info.uid, info.gid, info.type = self.time, mode, owner, owner, kind
        info.size = len(content)
        self.tar.addfile(info, io.BytesIO(content))

    def folder(self, path, mode=0o755, owner=0):
        self.add(path, b"", mode, owner, tarfile.DIRTYPE)
        self.folders.add(path)

    def file(self, path, source, mode):
        with open(source, "rb") as content:
            self.add(path, content.read(), mode)

    def finish(self):
        self.tar.close()
        return self.bytes.getvalue()


def base_layer(program, time):
    layer = Layer(time)
    layer.add("/etc/passwd", f"root:x:0:0::/:/\npayroll:x:{USER}:{USER}::{STATE}:/\n".encode())
    layer.add("/etc/group", f"root:x:0:\npayroll:x:{USER}:\n".encode())
    layer.add("/etc/nsswitch.conf", b"hosts: files dns\n")
    layer.file(CERTIFICATES, CERTIFICATES, 0o644)
    for path in libraries(program):
        layer.file(path, os.path.realpath(path), 0o755)
    layer.folder("/tmp", 0o1777)
    layer.folder(STATE, 0o700, USER)
    return layer.finish()


def program_layer(program, time):
    layer = Layer(time)
    layer.file(PROGRAM, program, 0o755)
    return layer.finish()


def run_settings(version):
    return {
        "User": f"{USER}:{USER}",
        "WorkingDir": STATE,
        "Env": [f"PAYROLL_DATABASE_URL={STATE}/payroll.db", "PAYROLL_LOG_FORMAT=json"],
        "Entrypoint": [PROGRAM],
        "Cmd": ["serve"],
        "ExposedPorts": {"8080/tcp": {}},
        "Volumes": {STATE: {}},
        "StopSignal": "SIGTERM",
        # Docker and Podman use this health check. Kubernetes uses its own probes.
        "Healthcheck": {"Test": ["CMD", PROGRAM, "health"], "Interval": 2 * 10**9, "Timeout": 5 * 10**9, "StartPeriod": 30 * 10**9},
        "Labels": {
            "org.opencontainers.image.title": "payroll-server",
            "org.opencontainers.image.description": "Payroll integration API server",
            "org.opencontainers.image.version": version,
            "org.opencontainers.image.revision": output("git", "rev-parse", "HEAD").strip(),
            "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
        },
    }


class Layout:
    """A folder with an OCI image layout. The names of its blobs are their digests."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "blobs", "sha256"))

    def blob(self, media_type, content):
        digest = hashlib.sha256(content).hexdigest()
        with open(os.path.join(self.folder, "blobs", "sha256", digest), "wb") as file:
            file.write(content)
        return {"mediaType": OCI + media_type, "digest": "sha256:" + digest, "size": len(content)}

    def document(self, media_type, value):
        return self.blob(media_type, json.dumps(value, sort_keys=True).encode())

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(value, file, sort_keys=True)


def make(program, folder):
    time, release = epoch(), version()
    created = datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    architecture = ARCHITECTURES[platform.machine()]
    layers = [base_layer(program, time), program_layer(program, time)]
    layout = Layout(folder)
    config = {
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": run_settings(release),
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers]},
        "history": [
            {"created": created, "created_by": "libraries and certificates"},
            {"created": created, "created_by": f"payroll-server {release}"},
        ],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": OCI + "manifest.v1+json",
        "config": layout.document("config.v1+json", config),
        "layers": [layout.blob("layer.v1.tar+gzip", gzip.compress(layer, 9, mtime=0)) for layer in layers],
    }
    described = layout.document("manifest.v1+json", manifest)
    described["platform"] = {"architecture": architecture, "os": "linux"}
    described["annotations"] = {
        "org.opencontainers.image.ref.name": release,
        "io.containerd.image.name": f"payroll-server:{release}",
    }
    layout.write("index.json", {"schemaVersion": 2, "mediaType": OCI + "index.v1+json", "manifests": [described]})
    layout.write("oci-layout", {"imageLayoutVersion": "1.0.0"})
    pack(folder, time)
    print(described["digest"])


def pack(folder, time):
    """Writes the layout to one archive, with its files in a fixed order."""
    with tarfile.open(folder + ".tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        for at, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(at, name)
                info = tarfile.TarInfo(os.path.relpath(path, folder))
                info.mtime, info.size = time, os.path.getsize(path)
                with open(path, "rb") as content:
                    tar.addfile(info, content)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    make(sys.argv[1], sys.argv[2])
