"""Runs the journey (test scenario) of a generated client, and compares the values that the client has read
with the responses of the server.

compare.py BASE CLIENT_ID CLIENT_SECRET COMMAND…

COMMAND runs the journey. It gets three more arguments: the address of a recorder (record.py) in front of the
server, the client id and the client secret. The journey hires a worker, sets up the worker's pay, adds a
check and reads all objects back. It sends exactly the requests in STEPS, in this order, and prints one JSON
object:

- each response under the name of its step, as the client's own types serialise the response
- `typed`: the values of some accessors
- `rejected`: the error code of the rejected request

The output must contain every value that the server sent. If a description permits two responses, a generated
client can read the first one and silently omit the members of the other.
"""

import datetime
import json
import re
import subprocess
import sys

from record import Recorder

OPEN, PROCESSED = "851000000002008", "851000000002005"

# The name of each response, its request without the query, and its status.
STEPS = [
    (None, "POST /auth/oauth/v2/token", 200),
    ("companies", "GET /companies", 200),
    ("components", "GET /companies/ID/paycomponents", 200),
    ("jobs", "GET /companies/ID/jobs", 200),
    ("locations", "GET /companies/ID/locations", 200),
    ("hired", "POST /companies/ID/workers", 201),
    ("worker", "GET /workers/ID", 200),
    ("changed", "PATCH /workers/ID", 200),
    ("communication", "POST /workers/ID/communications", 200),
    ("rate", "POST /workers/ID/compensation/payrates", 200),
    ("federal", "POST /workers/ID/federaltax", 201),
    ("federalChanged", "PATCH /workers/ID/federaltax", 200),
    ("states", "PATCH /workers/ID/statetaxes", 200),
    # By default (`approve_bank_accounts`), an operator must approve a new account, so the status is 202.
    ("deposit", "POST /workers/ID/directdeposits", 202),
    ("recurring", "POST /workers/ID/paycomponents", 201),
    ("added", "POST /(companies|workers)/ID/checks", 201),
    ("line", "POST /checks/ID/checkcomponents", 200),
    (None, "POST /(companies|workers)/ID/checks", 400),
    ("statusChanged", "PATCH /workers/ID", 200),
    ("statuses", "GET /workers/ID/status", 200),
    ("communications", "GET /workers/ID/communications", 200),
    ("rates", "GET /workers/ID/compensation/payrates", 200),
    ("federalTax", "GET /workers/ID/federaltax", 200),
    ("stateTaxes", "GET /workers/ID/statetaxes", 200),
    ("deposits", "GET /workers/ID/directdeposits", 200),
    ("recurringComponents", "GET /workers/ID/paycomponents", 200),
    ("ownChecks", "GET /workers/ID/checks", 200),
    ("open", "GET /companies/ID/checks", 200),
    ("processed", "GET /companies/ID/checks", 200),
]


def responses(exchanges):
    """Returns the responses by the names of their steps, and the rejection. Exits if the requests differ."""
    named, rejection = {}, None
    for (name, request, statuses), exchange in zip(STEPS, exchanges):
        path = exchange["target"].split("?")[0]
        sent = f"{exchange['method']} {path}"
        statuses = statuses if isinstance(statuses, tuple) else (statuses,)
        if not re.fullmatch(request.replace("ID", "[^/]+"), sent) or exchange["status"] not in statuses:
            sys.exit(f"{sent} returned {exchange['status']}, expected {request} with {statuses}: {exchange['body']}")
        if name:
            named[name] = exchange["body"]
        elif exchange["status"] == 400:
            rejection = exchange["body"]
    if len(exchanges) != len(STEPS):
        sys.exit(f"{len(exchanges)} requests, expected {len(STEPS)}: {exchanges[len(STEPS):]}")
    return named, rejection


def same(actual, expected):
    """Compares dates as instants, regardless of their format, and all other values exactly."""
    if actual == expected and type(actual) is type(expected):
        return True
    try:
        instants = [datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (actual, expected)]
    except (AttributeError, TypeError, ValueError):
        return False
    utc = datetime.timezone.utc
    first, second = (it if it.tzinfo else it.replace(tzinfo=utc) for it in instants)
    return "T" in expected and first == second


def differences(actual, expected, place=""):
    if isinstance(expected, dict):
        actual = actual if isinstance(actual, dict) else {}
        for name, value in expected.items():
            yield from differences(actual.get(name), value, f"{place}/{name}")
        for name in actual.keys() - expected.keys():
            # A client may print an absent member as null, and an absent list as empty.
            if actual[name] not in (None, []):
                yield f"{place}/{name}: the server did not send {actual[name]!r}"
    elif isinstance(expected, list):
        actual = actual if isinstance(actual, list) else []
        if len(actual) != len(expected):
            yield f"{place}: {len(actual)} elements, not {len(expected)}"
        for at, (one, other) in enumerate(zip(actual, expected)):
            yield from differences(one, other, f"{place}/{at}")
    elif not same(actual, expected):
        yield f"{place}: {actual!r}, not {expected!r}"


def typed(named):
    """Returns the expected values of the accessors."""
    first = {name: response["content"][0] for name, response in named.items()}
    line, done = first["line"], first["processed"]
    return {
        "familyName": first["hired"]["name"]["familyName"],
        "clockId": first["changed"]["clockId"],
        "rate": first["rates"]["amount"],
        "default": first["rates"]["default"],
        "filingStatus": first["federalTax"]["filingStatus"],
        "multipleJobs": first["federalTax"]["multipleJobs"],
        "resident": first["stateTaxes"]["isResidentState"],
        "depositStatus": first["deposits"]["status"],
        "account": first["deposits"]["accountNumber"],
        "recurring": first["recurringComponents"]["value"],
        "status": first["statuses"]["statusType"],
        "order": first["statuses"]["order"],
        "openHours": line["earnings"][0]["payHours"],
        "openRate": line["earnings"][0]["payRate"],
        "openAmount": line["earnings"][1]["payAmount"],
        "netPay": done["netPay"],
        "grossEarnings": done["grossEarnings"],
        "tax": done["taxes"][0]["amount"],
        "hours": done["earnings"][0]["hours"],
        "amount": done["earnings"][0]["amount"],
    }


def leaves(value):
    if isinstance(value, (dict, list)):
        return sum(map(leaves, value.values() if isinstance(value, dict) else value))
    return 1


def main(base, client_id, client_secret, *command):
    recorder = Recorder(base)
    journey = subprocess.run([*command, recorder.base, client_id, client_secret], stdout=subprocess.PIPE)
    exchanges = recorder.exchanges()
    if journey.returncode:
        last = exchanges[-1] if exchanges else "no request"
        sys.exit(f"the journey failed with {journey.returncode} after: {last}")
    printed = json.loads(journey.stdout)
    named, rejection = responses(exchanges)
    expected = {**named, "typed": typed(named), "rejected": rejection["errors"][0]["code"]}
    mismatches = list(differences(printed, expected))
    if mismatches:
        print(*mismatches[:50], f"{len(mismatches)} of {leaves(expected)} values differ", sep="\n", file=sys.stderr)
        sys.exit(1)
    print(f"all {leaves(expected)} values agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
