"""Gets a token with a private key, and verifies a notification with the public keys of the server. Needs the
installed Python package with the extra `keys`. RECEIVED is the notification that first.py received, as JSON.
"""

import json
import os
import urllib.request

from payroll_client import Client, PrivateKey, VerificationFailed, Verifier

BASE = os.environ["BASE"]


def main():
    key = PrivateKey.from_pem(os.environ["PRIVATE_KEY"])
    company = next(Client(BASE, os.environ["KEY"], private_key=key).list_companies())
    print(f"{company.legal_name}: read with the key {key.key_id}")

    with urllib.request.urlopen(BASE + "/.well-known/webhook-keys", timeout=20) as response:
        verifier = Verifier(*(it["publicKey"] for it in json.load(response)["keys"]))
    received = json.loads(os.environ["RECEIVED"])
    body = received["body"].encode()
    notification = verifier.verify(received["headers"], body)
    try:
        verifier.verify(received["headers"], body + b" ")
        raise AssertionError("a changed notification was accepted")
    except VerificationFailed:
        print(f"verified the notification {notification.notification_id} with the public keys")


main()
