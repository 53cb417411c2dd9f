"""Private keys, which sign token requests instead of using a secret (private_key_jwt, RFC 7523)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from . import _extra

# The seconds until an assertion expires. The server accepts at most 600. A short time limits the misuse of a
# stolen assertion.
LIFETIME_SECONDS = 60


class PrivateKey:
    """A private key that signs token requests instead of using a secret. Requires the extra `keys`.

        key = PrivateKey.from_pem(Path("private-key.pem").read_text())
        client = Client("https://payroll.example.com", "pkc_…", private_key=key)
    """

    key_id: str
    """The id of the key: the thumbprint of the public key (RFC 7638). The server shows it as `kid`."""
    public_jwk: str
    """The public key as a JSON web key, which an operator registers."""

    def __init__(self, pair: Any) -> None:
        """Do not call this directly. Use `from_pem`."""
        self._pair = pair
        members = pair.public_key.items()
        self.public_jwk = _json({name: _base64url(it) if isinstance(it, bytes) else it for name, it in members})
        # The thumbprint is the hash of exactly this text.
        self.key_id = _base64url(hashlib.sha256(self.public_jwk.encode()).digest())

    @classmethod
    def from_pem(cls, pem: str | bytes) -> PrivateKey:
        """Reads an unencrypted key in PEM (PKCS#8): Ed25519, P-256, or RSA with 2048, 3072 or 4096 bits.

        The algorithm is EdDSA, ES256 or RS256. The text of a `ValueError` never contains a part of the key.
        """
        keys = _extra.keys()
        text = pem if isinstance(pem, str) else pem.decode("ascii", "replace")
        _check_label(text)
        pair = keys.load(text.encode("ascii", "replace"))
        if pair is None:
            raise ValueError("expected a private key of type Ed25519, P-256, or RSA with 2048, 3072 or 4096 bits")
        return cls(pair)

    def _assertion(self, client_id: str, audience: str, now: int, jti: str) -> str:
        """Signs an assertion for one token request. `now` is in seconds since 1970. `jti` must be new."""
        header = {"alg": self._pair.algorithm, "kid": self.key_id, "typ": "JWT"}
        claims = {"iss": client_id, "sub": client_id, "aud": audience, "exp": now + LIFETIME_SECONDS, "jti": jti}
        signed = ".".join(_base64url(_json(it).encode()) for it in (header, claims))
        return f"{signed}.{_base64url(self._pair.sign(signed.encode()))}"

    def __repr__(self) -> str:
        return f"PrivateKey({self.key_id!r})"


def _check_label(pem: str) -> None:
    """Checks that a text is PKCS#8. For another format, the error explains how to convert the key."""
    # The error only shows the label, because the text can be a secret.
    found = re.search(r"-----BEGIN (?:([A-Z ]{0,32})-----)?", pem)
    label = found and found[1]
    if label == "PRIVATE KEY":
        return
    advice = ": convert it with openssl pkey" if label and label.endswith("PRIVATE KEY") else ""
    got = f"BEGIN {label}{advice}" if label else "a text without BEGIN"
    raise ValueError(f"expected a private key in the PEM format (BEGIN PRIVATE KEY), got {got}")


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
