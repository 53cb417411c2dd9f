"""Algorithms of the package cryptography, which the extra `keys` installs. `_extra` imports this module only
when a program uses a key. Other programs therefore do not need cryptography."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

# The sizes of RSA keys in bits that the packages in all languages support.
RSA_BITS = (2048, 3072, 4096)
# The length of P-256 coordinates and signature values in bytes.
P256_BYTES = 32


@dataclass(frozen=True)
class KeyPair:
    """A private key with its public key."""

    algorithm: str
    """The name of the algorithm in a JWT."""
    public_key: dict[str, str | bytes]
    """The required members of the public JSON web key, in the order of RFC 7638. Numbers are bytes."""
    sign: Callable[[bytes], bytes]
    """Signs a message in the form of a JWT."""


def load(pem: bytes) -> KeyPair | None:
    """Reads a private key in PEM. Returns None if the key is damaged or of another type."""
    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if isinstance(key, ed25519.Ed25519PrivateKey):
        x = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return KeyPair("EdDSA", {"crv": "Ed25519", "kty": "OKP", "x": x}, key.sign)
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        point = key.public_key().public_numbers()
        x, y = (it.to_bytes(P256_BYTES, "big") for it in (point.x, point.y))
        return KeyPair("ES256", {"crv": "P-256", "kty": "EC", "x": x, "y": y}, lambda it: _sign_p256(key, it))
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size in RSA_BITS:
        numbers = key.public_key().public_numbers()
        e, n = (it.to_bytes((it.bit_length() + 7) // 8, "big") for it in (numbers.e, numbers.n))
        algorithm = (padding.PKCS1v15(), hashes.SHA256())
        return KeyPair("RS256", {"e": e, "kty": "RSA", "n": n}, lambda it: key.sign(it, *algorithm))
    return None


def _sign_p256(key: ec.EllipticCurvePrivateKey, message: bytes) -> bytes:
    """Signs a message. JWT requires the two values of the signature in sequence instead of DER."""
    numbers = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    return b"".join(it.to_bytes(P256_BYTES, "big") for it in numbers)


def verifier(public_key: bytes) -> Callable[[bytes, bytes], bool]:
    """Returns a function that verifies a signature of a message with an Ed25519 key of 32 bytes."""
    key = ed25519.Ed25519PublicKey.from_public_bytes(public_key)

    def verify(signature: bytes, message: bytes) -> bool:
        try:
            key.verify(signature, message)
        except InvalidSignature:
            return False
        return True

    return verify
