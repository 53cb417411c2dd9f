"""Replaces generated values with existing ones, because a schema cannot express which values exist.

A cursor must come from a response, a pay period must belong to its company, a tag must match a version, and
an idempotency key must be new. In requests that should succeed, such values are replaced. All other values
stay as generated. Requests that should be rejected are sent unchanged.
"""

import os
import uuid

import requests
import schemathesis

BASE, CALLER = os.environ["BASE"], {"Authorization": "Bearer " + os.environ["TOKEN"]}
RECEIVER = "https://receiver.demo/notifications"


def read(path):
    answer = requests.get(BASE + path, headers=CALLER, timeout=20)
    return answer.json().get("content", []) if answer.ok else []


def periods():
    """Returns an open pay period for each company that has one."""
    found = {}
    for company in read("/companies"):
        home = company["companyId"]
        own = read(f"/companies/{home}/payperiods?status=INITIAL&status=ENTRY")
        if own:
            found[home] = own[0]["payPeriodId"]
    return found


PERIODS = periods()
WORKERS = {
    worker["workerId"]: home for home in PERIODS for worker in read(f"/companies/{home}/workers")
}
CURSORS = {
    ("/management/events", "after"): os.environ["CURSOR"],
    ("/management/requests", "before"): os.environ["REQUEST"],
    ("/management/hooks/{hookId}/deliveries", "before"): os.environ["DELIVERY"],
}


@schemathesis.hook
def before_call(context, case, kwargs):
    if not (case.meta and case.meta.generation.mode.is_positive):
        return
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if case.headers and "If-Match" in case.headers:
        case.headers["If-Match"] = "*"
    exist(case.operation.path, case.query or {}, case.path_parameters or {})
    if isinstance(case.body, dict):
        reach(case.body)


def exist(route, query, path):
    for (of, name), value in CURSORS.items():
        if of == route and name in query:
            query[name] = value
    company = path.get("companyId") or WORKERS.get(path.get("workerId"))
    if route == "/checks":
        company = query["companyid"] = next(iter(PERIODS))
    if "payperiodid" in query and company in PERIODS:
        query["payperiodid"] = PERIODS[company]


def reach(body):
    """Replaces addresses with the demo's receiver, because the server rejects unknown host names."""
    for name in ("uri", "url"):
        if isinstance(body.get(name), str):
            body[name] = RECEIVER
    authentication = body.get("authentication")
    if isinstance(authentication, dict) and "tokenUrl" in authentication:
        authentication["tokenUrl"] = RECEIVER


# In these operations, an absent value means all elements, so the server rejects an empty text.
REFUSES_EMPTY = {"replayDeliveries", "requestClientAccess"}


def has_empty(value):
    if isinstance(value, dict):
        return any(map(has_empty, value.values()))
    if isinstance(value, list):
        return any(map(has_empty, value))
    return value == ""


DECIMALS = {"payHours", "payUnits", "payAmount", "payRate"}


def is_taken_too(value):
    """Returns whether the server accepts a value that the description excludes. The description is strict,
    for the benefit of generated clients. The server also accepts a single check, decimals as numbers, numbers
    as decimals, and a text with several values instead of a list."""
    if isinstance(value, list):
        return any(is_taken_too(element) for element in value)
    if not isinstance(value, dict):
        return False
    return any(
        (name in DECIMALS and isinstance(member, (int, float)))
        or (name in {"domains", "scopes", "numericValue"} and isinstance(member, str))
        or is_taken_too(member)
        for name, member in value.items()
    )


@schemathesis.hook
def filter_case(context, case):
    """Skips invalid requests that the server accepts: empty texts that count as absent, and cases of
    `is_taken_too`."""
    if case.meta is None or case.meta.generation.mode.is_positive:
        return True
    operation = case.operation.definition.raw.get("operationId")
    if operation in {"addChecks", "addChecksOfWorker"} and isinstance(case.body, dict):
        return False
    if is_taken_too(case.body):
        return False
    return operation in REFUSES_EMPTY or not has_empty(case.body)
