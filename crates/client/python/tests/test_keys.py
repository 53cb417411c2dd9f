"""Tests private keys for token requests and public keys for notifications. Requires the extra `keys`."""

import base64
import json
import sys
import time
import unittest
import urllib.parse
from pathlib import Path
from unittest import mock

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from payroll_client import Client, PrivateKey, VerificationFailed, Verifier

from .server import BUSY, Server
from .test_values import SECRET, sign

# The packages in all three languages are tested with these vectors.
VECTORS = json.loads((Path(__file__).parents[2] / "src/tests/vectors.json").read_text(encoding="utf-8"))
KEYS, CLAIMS, WEBHOOK = VECTORS["keys"], VECTORS["assertion"], VECTORS["webhook"]
BODY, NOW = WEBHOOK["body"].encode(), int(WEBHOOK["timestamp"])
EMPTY = (200, {}, {"content": [], "links": []})


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def is_signed_by(jwk, assertion):
    jwk = json.loads(jwk)
    signed, _, signature = assertion.rpartition(".")
    signed, signature = signed.encode(), decoded(signature)
    number = {name: int.from_bytes(decoded(jwk[name]), "big") for name in "xyne" if name in jwk}
    try:
        if jwk["kty"] == "OKP":
            ed25519.Ed25519PublicKey.from_public_bytes(decoded(jwk["x"])).verify(signature, signed)
        elif jwk["kty"] == "EC":
            key = ec.EllipticCurvePublicNumbers(number["x"], number["y"], ec.SECP256R1()).public_key()
            r, s = (int.from_bytes(it, "big") for it in (signature[:32], signature[32:]))
            key.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
        else:
            key = rsa.RSAPublicNumbers(number["e"], number["n"]).public_key()
            key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        return False
    return True


def token_request(form):
    """Returns the fields of a token request, and the header and the claims of its assertion."""
    fields = dict(urllib.parse.parse_qsl(form))
    header, claims, _ = fields["client_assertion"].split(".")
    return fields, json.loads(decoded(header)), json.loads(decoded(claims))


class Assertions(unittest.TestCase):
    def test_an_assertion_has_the_known_header_claims_and_signature(self):
        self.assertEqual(len(KEYS), 3)
        for key in KEYS:
            private = PrivateKey.from_pem(key["pem"].encode())
            self.assertEqual((private.key_id, private.public_jwk), (key["keyId"], key["publicJwk"]))
            values = (CLAIMS["clientId"], CLAIMS["audience"], CLAIMS["now"], CLAIMS["jti"])
            assertion = private._assertion(*values)
            signed, _, signature = assertion.rpartition(".")
            self.assertEqual(signed, key["signed"], key["algorithm"])
            # ES256 signatures are random. Their expected value is None.
            self.assertIn(key["signature"], (signature, None), key["algorithm"])
            for other in KEYS:
                self.assertEqual(is_signed_by(other["publicJwk"], assertion), key is other, other["algorithm"])

    def test_an_invalid_key_is_a_clear_error_without_the_key(self):
        for case in VECTORS["rejected"]:
            with self.assertRaises(ValueError) as raised:
                PrivateKey.from_pem(case["pem"])
            text = str(raised.exception)
            self.assertTrue(text.startswith("expected a private key ") and case["error"] in text, text)
            self.assertFalse([line for line in case["pem"].splitlines() if line in text], text)
            self.assertIsNone(raised.exception.__cause__)
        # Without its line breaks, the label ends where the key ends.
        broken = KEYS[0]["pem"].replace("-----\n", "-")
        for text in (broken, b"\xff", "\u00e9\ud800"):
            self.assertRaisesRegex(ValueError, "got a text without BEGIN$", PrivateKey.from_pem, text)

    def test_each_token_request_has_a_new_assertion(self):
        key = KEYS[0]
        private, begin = PrivateKey.from_pem(key["pem"]), int(time.time())
        limited = (429, {"retry-after": "0"}, "")
        with Server([(401, {}, {}), EMPTY], [BUSY, limited]) as server:
            client = Client(server.address + "/", "pkc_id", private_key=private, first_delay=0.004)
            client.request("GET", "/companies")
        requests = [token_request(form) for form in server.token_forms]
        self.assertEqual(len(requests), 4, "two failed attempts, and a token that was rejected")
        for fields, header, claims in requests:
            assertion = fields.pop("client_assertion")
            type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            form = {"grant_type": "client_credentials", "client_id": "pkc_id", "client_assertion_type": type}
            self.assertEqual(fields, form)
            self.assertEqual(header, {"alg": "EdDSA", "kid": key["keyId"], "typ": "JWT"})
            self.assertEqual((claims["iss"], claims["sub"], claims["aud"]), ("pkc_id", "pkc_id", server.address))
            self.assertTrue(begin + 60 <= claims["exp"] <= time.time() + 60, claims)
            self.assertTrue(is_signed_by(key["publicJwk"], assertion))
        self.assertEqual(len({claims["jti"] for _, _, claims in requests}), 4, "each id is new")

    def test_the_audience_can_be_the_public_address(self):
        private = PrivateKey.from_pem(KEYS[1]["pem"])
        with Server([EMPTY]) as server:
            audience = "https://payroll.example.com"
            Client(server.address, "pkc_id", private_key=private, audience=audience).request("GET", "/companies")
        _, header, claims = token_request(server.token_forms[0])
        self.assertEqual((header["alg"], claims["aud"]), ("ES256", audience))

    def test_a_client_has_one_credential(self):
        private = PrivateKey.from_pem(KEYS[0]["pem"])
        address = "https://payroll.example.com"
        self.assertRaises(ValueError, Client, address, "id")
        self.assertRaises(ValueError, Client, address, "id", "pks_hidden", private_key=private)
        for options in ({"client_secret": private}, {"private_key": KEYS[0]["pem"]}):
            with self.assertRaisesRegex(TypeError, r"^expected private_key=PrivateKey.from_pem\(…\)$"):
                Client(address, "id", **options)

    def test_no_output_shows_a_private_key(self):
        for key in KEYS:
            private = PrivateKey.from_pem(key["pem"])
            client = Client("https://payroll.example.com", "id", private_key=private)
            text = f"{private!r} {private} {vars(private)} {client!r} {vars(client)}"
            self.assertTrue(text.startswith(f"PrivateKey('{key['keyId']}')"), text)
            self.assertFalse([line for line in key["pem"].splitlines() if line in text], text)

    def test_a_missing_extra_is_a_clear_error(self):
        hidden = {name: None for name in sys.modules if name.split(".")[0] == "cryptography"}
        # Removes the module that uses the extra, because it is already imported.
        sys.modules.pop("payroll_client._keys", None)
        package = sys.modules["payroll_client"]
        vars(package).pop("_keys", None)
        with mock.patch.dict(sys.modules, {**hidden, "cryptography": None}):
            for use, text in ((PrivateKey.from_pem, KEYS[0]["pem"]), (Verifier, WEBHOOK["publicKey"])):
                with self.assertRaisesRegex(ImportError, r"cryptography: pip install 'payroll-client\[keys\]'$"):
                    use(text)
            Verifier(SECRET)
            Client("https://payroll.example.com", "id", "pks_hidden")


def headers(signature):
    return {"webhook-id": WEBHOOK["id"], "webhook-timestamp": WEBHOOK["timestamp"], "webhook-signature": signature}


class PublicKeys(unittest.TestCase):
    def test_a_signature_of_the_server_is_accepted_with_its_public_key(self):
        right, other, signature = WEBHOOK["publicKey"], WEBHOOK["otherKey"], WEBHOOK["signature"]
        mixed = f"v1,AAAA v1a,AAAA v1a,? v1a,\u00e9 {signature}"
        for keys, given in (((right,), signature), ((SECRET, other, right), mixed)):
            self.assertEqual(Verifier(*keys).verify(headers(given), BODY, NOW + 300).worker_id, "W-1")
        # A verifier with both kinds of keys also accepts a signature with the secret only.
        of_secret = sign(SECRET, BODY)
        self.assertEqual(Verifier(right, SECRET).verify(headers(of_secret), BODY, NOW).worker_id, "W-1")

    def test_a_wrong_signature_of_the_server_is_rejected(self):
        right, other, signature = WEBHOOK["publicKey"], WEBHOOK["otherKey"], WEBHOOK["signature"]
        given = ["", "v1a,", "v1a,?", "v1a,\ud800", signature[4:], signature[:-4], signature[:-1]]
        given += ["v1," + signature[4:], sign(SECRET, BODY), "v1a,AAAA " * 8 + signature]
        cases = [(right, it, BODY) for it in given]
        cases += [(other, signature, BODY), (SECRET, signature, BODY), (right, signature, BODY + b" ")]
        for key, signature_given, body in cases:
            with self.assertRaisesRegex(VerificationFailed, "no signature", msg=signature_given):
                Verifier(key).verify(headers(signature_given), body, NOW)
        with self.assertRaisesRegex(VerificationFailed, "no signature"):
            Verifier(right).verify({**headers(signature), "webhook-id": "\ud800"}, BODY, NOW)
        for now in (NOW + 301, NOW - 301):
            with self.assertRaisesRegex(VerificationFailed, "webhook-timestamp"):
                Verifier(right).verify(headers(signature), BODY, now)

    def test_a_verifier_needs_a_valid_public_key(self):
        right = WEBHOOK["publicKey"]
        for bad in ("whpk_", "whpk_AAAA", "whpk_not base64!", "whpk_\u00e9", right[:-1], right + "AAAA"):
            with self.assertRaisesRegex(ValueError, "^expected a public key: whpk_", msg=bad):
                Verifier(SECRET, bad)


if __name__ == "__main__":
    unittest.main()
