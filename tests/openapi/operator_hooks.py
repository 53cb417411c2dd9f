"""Supplies values for the operator API that a schema cannot express: If-Match needs an existing tag, an
idempotency key must be new, and a cursor must come from a response."""

import os
import uuid

import requests
import schemathesis

KEYS = os.environ["BASE"] + "/operator/v1/keys"
CALLER = {"Authorization": "Bearer " + os.environ["TOKEN"]}


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """Sends a body of lines unchanged."""
    return value.encode() if isinstance(value, str) else str(value).encode()


def another_key():
    """Creates a key to revoke, because an id from a response could be the id of the caller's own key."""
    made = requests.post(KEYS, json={"name": str(uuid.uuid4())}, headers=CALLER, timeout=20)
    return made.json()["content"][0]["keyId"]


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.method == "DELETE" and case.operation.path == "/operator/v1/keys/{keyId}":
        case.path_parameters["keyId"] = another_key()
    if not (case.meta and case.meta.generation.mode.is_positive):
        return
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if case.method in ("PUT", "PATCH", "DELETE"):
        case.headers = {**(case.headers or {}), "If-Match": "*"}
    for cursor in ("after", "before"):
        (case.query or {}).pop(cursor, None)
