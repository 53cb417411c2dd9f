"""Runs the first steps with the installed Python package against a demo, and prints each step.

The program also registers a hook, receives a notification and verifies it. It writes the notification to the
file RECEIVED, so that the programs in other languages verify the same notification.
"""

import json
import os
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

from payroll_client import Client, ConnectionFailed, Rejected, VerificationFailed, Verifier
from payroll_client.models import ApiKeyAuthentication, CheckInput, CheckLineInput, HookInput

# The demo sends requests for the host mine.demo to this local port.
RECEIVER_PORT = 9000
RECEIVER_SECONDS = 20
# A company of the demo without a special state.
COMPANY = "00DEMO0001COMPANY001"


def pay(client):
    company = next(client.list_companies())
    home = company.company_id
    period = next(client.list_pay_periods(home, status=["INITIAL", "ENTRY"]))
    component = next(client.list_pay_components(home, name="Bonus"))
    workers = list(client.list_workers(home, status=["ACTIVE"], page_size=2))
    print(f"{company.legal_name}: pays {component.name} to {len(workers)} workers in {period.pay_period_id}")
    assert len(workers) > 2, "the workers are on several pages"

    def check(worker_id, amount):
        line = CheckLineInput(component_id=component.component_id, pay_amount=Decimal(amount))
        row = {"pay_period_id": period.pay_period_id, "check_correlation_id": f"python-{worker_id}"}
        # The work of some workers is distributed over several jobs. This option prevents a split of the line.
        return CheckInput(worker_id=worker_id, earnings=[line], block_auto_distribution=True, **row)

    checks = [check(worker.worker_id, "0.10") for worker in workers]
    checks[0].earnings[0].pay_amount = Decimal("1234.50")
    key = f"first-python-{period.pay_period_id}"
    added = client.add_checks(home, checks, idempotency_key=key)
    again = client.add_checks(home, checks, idempotency_key=key)
    assert [it.paycheck_id for it in again] == [it.paycheck_id for it in added], "nothing is paid twice"
    stored = {it.paycheck_id: it for it in client.list_checks(home, payperiodid=period.pay_period_id, page_size=2)}
    amounts = [str(stored[it.paycheck_id].earnings[0].pay_amount) for it in added]
    assert amounts == ["1234.50"] + ["0.10"] * (len(added) - 1), amounts
    print(f"added {len(added)} checks and read them back: {', '.join(amounts[:3])}, …")

    try:
        client.add_checks(home, [check("NOBODY", "1.00"), check(workers[0].worker_id, "10000.00")])
        raise AssertionError("the server has accepted a wrong batch")
    except Rejected as error:
        found = [(it.code, it.pointer) for it in error.errors]
        assert found == [("API-55", "/0/workerId"), ("API-28", "/1/earnings/0/payAmount")], found
        print(f"rejected with status {error.status}: {found}")


def lose_a_response(client):
    """Makes the sandbox store a check and lose the response. A retry with the same key gets the response."""
    period = next(client.list_pay_periods(COMPANY, status=["INITIAL", "ENTRY"])).pay_period_id
    worker = next(client.list_workers(COMPANY, status=["ACTIVE"])).worker_id
    component = next(client.list_pay_components(COMPANY, name="Bonus")).component_id
    line = CheckLineInput(component_id=component, pay_amount=Decimal("2.50"))
    row = {"worker_id": worker, "pay_period_id": period, "check_correlation_id": "lost"}
    request = {
        "body": [CheckInput(earnings=[line], **row)],
        "media_type": "application/vnd.vendor.payroll.checks.v1+json",
        "idempotency_key": "first-lost",
    }
    path = f"/companies/{COMPANY}/checks"
    try:
        client.request("POST", path, **request, headers={"sandbox-fault": "lost"})
        raise AssertionError("the response was not lost")
    except ConnectionFailed as error:
        print(f"lost a response: {error}")
    assert client.request("POST", path, **request).replayed, "the check was stored before the response was lost"
    stored = [it for it in client.list_checks(COMPANY, payperiodid=period) if it.check_correlation_id == "lost"]
    assert len(stored) == 1, "nothing is paid twice"
    print("sent the request again and got the first response")


def receive(client):
    """Registers a hook, requests a test call and returns the received headers and body."""
    received, arrived = {}, threading.Event()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            received["headers"] = {name.lower(): value for name, value in self.headers.items()}
            received["body"] = self.rfile.read(int(self.headers["content-length"])).decode()
            self.send_response(204)
            self.end_headers()
            arrived.set()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", RECEIVER_PORT), Receiver) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        authentication = ApiKeyAuthentication(auth_type="APIKEY", api_key="a-key-of-this-program")
        hook = client.register_hook(
            HookInput(uri="http://mine.demo/clients", domains=["CLT_PYRN"], authentication=authentication)
        )
        client.send_test_call(hook.hook_id)
        assert arrived.wait(RECEIVER_SECONDS), "no notification has arrived"
        server.shutdown()
    client.remove_hook(hook.hook_id)
    return {**received, "secret": hook.signing_secret}


def verify(received):
    body = received["body"].encode()
    notification = Verifier(received["secret"]).verify(received["headers"], body)
    try:
        Verifier(received["secret"]).verify(received["headers"], body + b" ")
        raise AssertionError("a changed notification was accepted")
    except VerificationFailed:
        print(f"verified the notification {notification.notification_id}")


def main():
    client = Client(os.environ["BASE"], os.environ["KEY"], os.environ["SECRET"])
    pay(client)
    # Without retries, because the sandbox would also discard the responses to retries.
    lose_a_response(Client(os.environ["BASE"], os.environ["KEY"], os.environ["SECRET"], attempts=1))
    received = receive(client)
    verify(received)
    with open(os.environ["RECEIVED"], "w", encoding="utf-8") as file:
        json.dump(received, file)


main()
