"""Verification of notifications according to Standard Webhooks (v1 and v1a)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping

from . import _extra
from .errors import ResponseInvalid
from .models import Notification

# The maximum difference between the timestamp of a notification and the clock. It limits replay attacks.
TOLERANCE_SECONDS = 300
# The maximum number of signatures of each version that are checked. The server sends one for each of at most
# two secrets, and one for each of its few key pairs.
MAX_SIGNATURES = 8
# The maximum number of digits in a timestamp. 12 digits are sufficient for 30,000 years.
MAX_TIMESTAMP_DIGITS = 12
# The prefix of a public key of the server, and the length of the key.
PUBLIC_PREFIX = "whpk_"
PUBLIC_KEY_BYTES = 32


class VerificationFailed(Exception):
    """The notification must be rejected. Respond with status 401."""


class Verifier:
    """Verifies the signatures of notifications with the signing secrets of a hook (`whsec_…`), or with the
    public keys of the server (`whpk_…`). Public keys require the extra `keys`. One matching signature is
    sufficient.

    Pass all keys of `/.well-known/webhook-keys`. While a secret is being rotated, pass the old and the new
    secret.
    """

    def __init__(self, *keys: str) -> None:
        if not keys:
            raise ValueError("expected at least one signing secret or public key")
        self._secrets = [_secret(key) for key in keys if not key.startswith(PUBLIC_PREFIX)]
        self._verifiers = [_verifier(key) for key in keys if key.startswith(PUBLIC_PREFIX)]

    def verify(self, headers: Mapping[str, str], body: bytes, now: float | None = None) -> Notification:
        """Verifies a notification and returns its content. `body` must be the received bytes."""
        values = {name.lower(): value for name, value in headers.items()}
        id, timestamp, signatures = (values.get(f"webhook-{it}", "") for it in ("id", "timestamp", "signature"))
        is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= MAX_TIMESTAMP_DIGITS
        now = time.time() if now is None else now
        if not is_number or abs(int(now) - int(timestamp)) > TOLERANCE_SECONDS:
            raise VerificationFailed(f"webhook-timestamp is not within {TOLERANCE_SECONDS} seconds of the current time")
        content = f"{id}.{timestamp}.".encode(errors="surrogatepass") + body
        if not self._is_genuine(content, signatures):
            raise VerificationFailed("no signature of the notification matches a key of the verifier")
        try:
            return Notification.from_json(json.loads(body))
        except (ValueError, ResponseInvalid):
            raise VerificationFailed("the body is not a notification") from None

    def _is_genuine(self, content: bytes, signatures: str) -> bool:
        hashes = [hmac.digest(secret, content, hashlib.sha256) for secret in self._secrets]
        # `compare_digest` takes constant time, so its duration reveals nothing about the signature.
        if any(hmac.compare_digest(one, other) for one in hashes for other in _signatures(signatures, "v1,")):
            return True
        return any(verify(it, content) for verify in self._verifiers for it in _signatures(signatures, "v1a,"))


def _signatures(header: str, prefix: str) -> list[bytes]:
    """Returns the first signatures of a version. Invalid base64 becomes empty bytes, which never match."""
    encoded = [it.removeprefix(prefix) for it in header.split(" ") if it.startswith(prefix)]
    return [_decoded(it) for it in encoded[:MAX_SIGNATURES]]


def _secret(text: str) -> bytes:
    secret = _decoded(text.removeprefix("whsec_"))
    if not secret:
        message = "expected a signing secret: whsec_ followed by base64, or a public key: whpk_ followed by base64"
        raise ValueError(message)
    return secret


def _verifier(text: str) -> Callable[[bytes, bytes], bool]:
    key = _decoded(text.removeprefix(PUBLIC_PREFIX))
    if len(key) != PUBLIC_KEY_BYTES:
        raise ValueError("expected a public key: whpk_ followed by the base64 of 32 bytes")
    verify: Callable[[bytes, bytes], bool] = _extra.keys().verifier(key)
    return verify


def _decoded(text: str) -> bytes:
    """Decodes base64. Returns empty bytes for an invalid text."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""
