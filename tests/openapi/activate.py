"""Activates a new worker with the operator API, because a partner cannot change the status IN_PROGRESS. Reads
OPERATOR and OPERATOR_KEY, which demo.sh exports.

activate.py WORKER_ID
"""

import json
import os
import sys
import urllib.request

COMPANY = "00DEMO0001COMPANY001"


def main(worker):
    request = urllib.request.Request(
        f"{os.environ['OPERATOR']}/companies/{COMPANY}/workers/{worker}",
        json.dumps({"currentStatus": {"statusType": "ACTIVE", "statusReason": "HIRED"}}).encode(),
        {
            "Authorization": "Bearer " + os.environ["OPERATOR_KEY"],
            "Content-Type": "application/merge-patch+json",
            "If-Match": "*",
        },
        method="PATCH",
    )
    urllib.request.urlopen(request, timeout=20).close()


if __name__ == "__main__":
    main(*sys.argv[1:])
