"""Verification of notifications, by the rules of Standard Webhooks (v1)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from .errors import ResponseInvalid
from .models import Notification

# The maximum difference between the timestamp of a notification and the clock. It limits replay attacks.
TOLERANCE_SECONDS = 300
# The maximum number of signatures that are read. The server sends one for each of at most two secrets.
MAX_SIGNATURES = 8
# The maximum number of digits in a timestamp. It is enough for 30,000 years.
MAX_TIMESTAMP_DIGITS = 12


class VerificationFailed(Exception):
    """The notification must be rejected. Respond with status 401."""


class Verifier:
    """Verifies the signatures of notifications with the signing secrets of a hook.

    Give it the old and the new secret while a secret is being rotated.
    """

    def __init__(self, *secrets: str) -> None:
        if not secrets:
            raise ValueError("expected at least one signing secret")
        self._keys = [_key(secret) for secret in secrets]

    def verify(self, headers: Mapping[str, str], body: bytes, now: float | None = None) -> Notification:
        """Verifies a notification and returns its content. `body` is the body byte for byte as received."""
        values = {name.lower(): value for name, value in headers.items()}
        id, timestamp, signatures = (values.get(f"webhook-{it}", "") for it in ("id", "timestamp", "signature"))
        is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= MAX_TIMESTAMP_DIGITS
        now = time.time() if now is None else now
        if not is_number or abs(int(now) - int(timestamp)) > TOLERANCE_SECONDS:
            raise VerificationFailed(f"webhook-timestamp is not within {TOLERANCE_SECONDS} seconds of the current time")
        content = f"{id}.{timestamp}.".encode() + body
        expected = [b"v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)) for key in self._keys]
        given = [it.encode() for it in signatures.split(" ") if it.startswith("v1,")][:MAX_SIGNATURES]
        # `compare_digest` compares in constant time.
        if not any(hmac.compare_digest(one, other) for one in expected for other in given):
            raise VerificationFailed("no signature of the notification matches a signing secret")
        try:
            return Notification.from_json(json.loads(body))
        except (ValueError, ResponseInvalid):
            raise VerificationFailed("the body is not a notification") from None


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("expected a signing secret: whsec_ followed by base64")
    return key
