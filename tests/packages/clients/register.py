"""Registers the public key of PRIVATE_KEY for the application of the demo with the operator API. Needs the
installed Python package with the extra `keys`. Reads OPERATOR and OPERATOR_KEY, which demo.sh exports.
"""

import json
import os
import urllib.request

from payroll_client import PrivateKey


def operator(path, body=None):
    headers = {"Authorization": "Bearer " + os.environ["OPERATOR_KEY"], "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["OPERATOR"] + path, content, headers)
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)["content"]


def main():
    key = PrivateKey.from_pem(os.environ["PRIVATE_KEY"])
    application = next(it for it in operator("/applications") if it["clientId"] == os.environ["KEY"])
    # An application has at most two credentials. The new one replaces a secret that no program uses.
    path = f"/applications/{application['applicationId']}/secrets"
    (registered,) = operator(path, {"publicKey": json.loads(key.public_jwk)})
    assert registered["kid"] == key.key_id, registered
    print(f"registered the public key {key.key_id}")


main()
