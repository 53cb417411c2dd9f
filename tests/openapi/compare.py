"""Compares the values that a generated client has read with the server's data.

compare.py BASE CLIENT_ID CLIENT_SECRET < output of a journey

A journey adds a check to an open pay period, reads the checks of this period and of a processed one,
and sends a check that the server rejects. It prints one JSON object: `added`, `open` and `processed` are
the responses in the client's own types, `typed` contains some values from the client's accessors, and
`refused` is the code of the rejection. The output must contain every value of the server. A client
generated from a description of two possible responses would read one of them and silently drop the
members of the other.
"""

import datetime
import json
import sys
import urllib.parse
import urllib.request

COMPANY = "00DEMO0001COMPANY001"
OPEN, PROCESSED = "851000000002008", "851000000002005"


def read(base, token, period):
    address = f"{base}/companies/{COMPANY}/checks?payperiodid={period}"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
        return json.load(answer)["content"]


def token_of(base, client_id, client_secret):
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
    form = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(f"{base}/auth/oauth/v2/token", form, timeout=20) as answer:
        return json.load(answer)["access_token"]


def same(said, expected):
    """Compares dates as times in any format, and all other values exactly."""
    if said == expected and type(said) is type(expected):
        return True
    try:
        instants = [datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (said, expected)]
    except (AttributeError, TypeError, ValueError):
        return False
    utc = datetime.timezone.utc
    first, second = (it if it.tzinfo else it.replace(tzinfo=utc) for it in instants)
    return "T" in expected and first == second


def differences(said, expected, place=""):
    if isinstance(expected, dict):
        said = said if isinstance(said, dict) else {}
        for name, value in expected.items():
            yield from differences(said.get(name), value, f"{place}/{name}")
        for name in said.keys() - expected.keys():
            # A client type for several kinds may show an absent member as null or as an empty list.
            if said[name] not in (None, []):
                yield f"{place}/{name}: the server does not say {said[name]!r}"
    elif isinstance(expected, list):
        said = said if isinstance(said, list) else []
        if len(said) != len(expected):
            yield f"{place}: {len(said)} elements, not {len(expected)}"
        for at, (one, other) in enumerate(zip(said, expected)):
            yield from differences(one, other, f"{place}/{at}")
    elif not same(said, expected):
        yield f"{place}: {said!r}, not {expected!r}"


def typed(check, done):
    """Returns the expected values of the client's accessors for the added check and for a paid check."""
    return {
        "openHours": check["earnings"][0]["payHours"],
        "openRate": check["earnings"][0]["payRate"],
        "openAmount": check["earnings"][1]["payAmount"],
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


def main(base, client_id, client_secret):
    journey = json.load(sys.stdin)
    token = token_of(base, client_id, client_secret)
    opened, processed = read(base, token, OPEN), read(base, token, PROCESSED)
    for name in ("added", "open", "processed"):
        # Links and metadata depend on how a client writes its query.
        journey[name] = journey[name]["content"]
    expected = {
        "added": opened[-1:],
        "open": opened,
        "processed": processed,
        "typed": typed(opened[-1], processed[0]),
        # The worker is unknown, or differs from the worker in the path.
        "refused": "API-48" if journey["refused"] == "API-48" else "API-55",
    }
    found = list(differences(journey, expected))
    if found:
        print(*found[:50], f"{len(found)} of {leaves(expected)} values differ", sep="\n", file=sys.stderr)
        sys.exit(1)
    print(f"all {leaves(expected)} values agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
