"""Tests tokens, retries, pages and secrecy with a local server."""

import socket
import threading
import unittest
from decimal import Decimal

from payroll_client import Client, ConnectionFailed, PartlyRejected, Rejected, ResponseInvalid, TimedOut
from payroll_client._retry import delay, parse_retry_after
from payroll_client.models import CheckInput, CheckLineInput, WorkerChange

from .server import BUSY, Server

CONTENT = {"content": [], "links": []}
ADDED = (201, {"x-vendor-txid": "42", "idempotent-replayed": "true", "etag": '"7"'}, CONTENT)
EMPTY = (200, {}, CONTENT)
EXPIRED = (401, {}, {"errors": [{"code": "API-102", "description": "expired"}]})
LINE = CheckLineInput(component_id="C1", pay_amount=Decimal("1234567890.10"))
CHECK = CheckInput(worker_id="W1", pay_period_id="P1", check_correlation_id="row-1", earnings=[LINE])


def client(server, **options):
    return Client(server.address, "pkc_id", "pks_hidden", **{"first_delay": 0.004, **options})


class Retries(unittest.TestCase):
    def test_a_post_is_repeated_with_the_same_key_and_body(self):
        with Server([BUSY, "close", ADDED]) as server:
            self.assertEqual(client(server).add_checks("C1", [CHECK], idempotency_key="batch-1"), [])
        self.assertEqual(len(server.received), 3)
        for line, headers, body in server.received:
            self.assertEqual(line, "POST /companies/C1/checks")
            self.assertEqual(headers["idempotency-key"], "batch-1")
            self.assertEqual(headers["authorization"], "Bearer t1")
            self.assertEqual(headers["content-type"], "application/vnd.vendor.payroll.checks.v1+json")
            self.assertEqual(
                body,
                '[{"checkCorrelationId": "row-1", "payPeriodId": "P1", "workerId": "W1", '
                '"earnings": [{"componentId": "C1", "payAmount": "1234567890.10"}]}]',
            )

    def test_a_partly_stored_list_is_an_error_with_the_stored_objects(self):
        error = {"code": "API-46", "description": "name.givenName is missing", "pointer": "/1/name/givenName"}
        partly = (207, {"x-vendor-txid": "42"}, {"content": [{"workerId": "W1"}], "errors": [error]})
        with Server([partly]) as server, self.assertRaises(PartlyRejected) as raised:
            client(server).add_workers("C1", [])
        rejection = raised.exception
        self.assertEqual([worker.worker_id for worker in rejection.stored], ["W1"])
        self.assertEqual((rejection.status, rejection.errors[0].pointer), (207, "/1/name/givenName"))
        self.assertTrue(rejection.has_code("API-46"))
        self.assertEqual((len(server.received), rejection.request_id), (1, "42"))

    def test_a_post_without_a_key_gets_a_random_one_for_all_its_attempts(self):
        with Server([BUSY, ADDED, ADDED]) as server:
            payroll = client(server, vendor="acme")
            payroll.add_checks("C1", [])
            response = payroll.request("POST", "/companies/C1/checks", body=[])
        keys = [headers["idempotency-key"] for _, headers, _ in server.received]
        self.assertEqual(len(keys[0]), 36)
        self.assertTrue(keys[0] == keys[1] != keys[2])
        self.assertEqual(server.received[0][1]["content-type"], "application/vnd.acme.payroll.checks.v1+json")
        self.assertEqual((response.status, response.replayed, response.request_id, response.etag), (201, True, "42", '"7"'))

    def test_a_patch_is_not_repeated_after_a_lost_response(self):
        for reply in (BUSY, "close"):
            with Server([reply, EMPTY]) as server:
                with self.assertRaises((Rejected, ConnectionFailed)):
                    client(server).change_worker("W1", WorkerChange(clock_id="7"))
            self.assertEqual(len(server.received), 1)
        limited = (429, {"retry-after": "0"}, "")
        with Server([limited, (200, {"etag": '"8"'}, {"content": [{"workerId": "W1"}]})]) as server:
            worker = client(server).change_worker("W1", WorkerChange(clock_id="7"), if_match='"7"')
        self.assertEqual((worker.worker_id, worker.etag), ("W1", '"8"'))
        self.assertEqual(server.received[1][1]["if-match"], '"7"')

    def test_a_part_that_a_worker_lacks_is_none(self):
        single = {"content": [{"filingStatus": "SINGLE"}]}
        with Server([EMPTY, EMPTY, (200, {"etag": '"9"'}, single), (200, {"etag": 'W/"9"'}, single)]) as server:
            payroll = client(server)
            self.assertIsNone(payroll.get_federal_tax("W1"))
            self.assertRaises(ResponseInvalid, payroll.get_worker, "W1")
            self.assertEqual(payroll.get_federal_tax("W1").etag, '"9"')
            self.assertIsNone(payroll.get_federal_tax("W1").etag)

    def test_a_rejection_has_its_codes_and_pointers_and_is_not_repeated(self):
        first = {"code": "API-55", "description": "no such worker", "pointer": "/0/workerId", "correlationId": "one"}
        second = {"code": "API-48", "description": "too many", "pointer": "/1/earnings/0/payHours", "more": 1}
        with Server([(400, {"x-vendor-txid": "43"}, {"errors": [first, second]})]) as server:
            with self.assertRaises(Rejected) as raised:
                client(server).add_checks("C1", [CHECK])
        error = raised.exception
        self.assertEqual((error.status, error.request_id), (400, "43"))
        self.assertEqual([it.pointer for it in error.errors], ["/0/workerId", "/1/earnings/0/payHours"])
        self.assertEqual(error.errors[0].correlation_id, "one")
        self.assertTrue(error.has_code("API-55") and not error.has_code("API-1"))
        text = "status 400: API-55 no such worker (/0/workerId), API-48 too many (/1/earnings/0/payHours)"
        self.assertEqual(str(error), text)

    def test_attempts_end_at_their_maximum(self):
        with Server([BUSY] * 9) as server:
            with self.assertRaises(Rejected):
                client(server).get_company("C1")
        self.assertEqual(len(server.received), 4)
        self.assertRaises(ValueError, client, server, attempts=11)

    def test_an_attempt_without_a_response_ends_after_its_timeout(self):
        # On a busy machine, further attempts can be too slow.
        with Server(["hang", EMPTY, EMPTY, EMPTY]) as server:
            self.assertEqual(list(client(server, timeout=1).list_companies()), [])
        self.assertGreaterEqual(len(server.received), 2)
        with Server(["hang"]) as server:
            self.assertRaises(TimedOut, client(server, timeout=1).change_worker, "W1", WorkerChange())

    def test_a_server_that_is_not_there_is_not_reached(self):
        # The socket is bound but does not listen, so that no other program can use its port.
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            payroll = Client(f"http://127.0.0.1:{bound.getsockname()[1]}", "pkc_id", "pks_hidden", first_delay=0.004)
            with self.assertRaises(ConnectionFailed) as raised:
                payroll.get_company("C1")
        self.assertFalse(raised.exception.sent)

    def test_an_incomplete_response_is_an_error(self):
        with Server([(200, {"content-length": "99"}, CONTENT)]) as server:
            with self.assertRaises(ConnectionFailed):
                client(server, attempts=1).get_company("C1")

    def test_the_wait_is_that_of_the_server_or_doubles(self):
        def wait(attempt, error, repeatable=True):
            return delay(attempt, 4, 0.5, error, repeatable)

        self.assertGreaterEqual(wait(1, Rejected(429, retry_after=7)), 7)
        self.assertGreaterEqual(wait(1, Rejected(409, retry_after=2)), 2)
        for error in (Rejected(503, retry_after=61), Rejected(400), Rejected(409), Rejected(500), Rejected(423, retry_after=1)):
            self.assertIsNone(wait(1, error))
        for attempt, least in ((1, 0.25), (2, 0.5), (3, 1.0)):
            self.assertTrue(least <= wait(attempt, TimedOut()) <= 2 * least)
        self.assertIsNone(wait(4, TimedOut()))
        self.assertIsNone(wait(1, TimedOut(), False))

    def test_retry_after_is_a_number_of_seconds_or_a_date(self):
        now = 784_111_777  # Sun, 06 Nov 1994 08:49:37 GMT
        self.assertEqual(parse_retry_after(" 12 ", now), 12)
        self.assertEqual(parse_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), 10)
        self.assertEqual(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), 0)
        self.assertIsNone(parse_retry_after("soon", now))
        self.assertIsNone(parse_retry_after(None, now))


class TokensOfAClient(unittest.TestCase):
    def test_threads_share_one_token_request(self):
        with Server([EMPTY] * 8) as server:
            payroll = client(server)
            threads = [threading.Thread(target=lambda: list(payroll.list_companies())) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((len(server.token_forms), len(server.received)), (1, 8))

    def test_a_rejected_token_is_renewed_once(self):
        with Server([EXPIRED, EMPTY, EXPIRED, EXPIRED]) as server:
            payroll = client(server)
            list(payroll.list_companies())
            with self.assertRaises(Rejected) as raised:
                list(payroll.list_companies())
        self.assertTrue(raised.exception.has_code("API-102"))
        tokens = [headers["authorization"] for _, headers, _ in server.received]
        self.assertEqual(tokens, [f"Bearer t{number}" for number in (1, 2, 2, 3)])

    def test_a_token_is_renewed_before_it_expires_and_a_failed_token_request_has_its_code(self):
        short = (200, {}, {"access_token": "short", "expires_in": 0})
        wrong = (401, {}, {"error": "invalid_client", "errors": [{"code": "API-102", "description": "wrong secret"}]})
        with Server([EMPTY], [short, wrong]) as server:
            payroll = client(server)
            list(payroll.list_companies())
            with self.assertRaises(Rejected) as raised:
                list(payroll.list_companies())
        self.assertTrue(raised.exception.has_code("API-102"))
        self.assertEqual((len(server.token_forms), len(server.received)), (2, 1))

    def test_no_output_shows_a_secret_or_a_token(self):
        with Server([], [(200, {}, '{"access_token":"tok-hidden","x')]) as server:
            payroll = client(server)
            with self.assertRaises(ResponseInvalid) as raised:
                payroll.get_company("C1")
        text = f"{payroll!r} {payroll} {raised.exception!r} {raised.exception.__cause__!r}"
        self.assertNotRegex(text, "pks_|tok-")

    def test_an_address_is_encrypted_or_on_this_machine_and_an_id_stays_in_its_place(self):
        for address in ("http://payroll.example.com", "ftp://a.example", "https://u:p@a.example", "https://a.example?a=b"):
            self.assertRaises(ValueError, Client, address, "id", "secret")
        Client("http://payroll.internal", "id", "secret", allow_plain_http=True)
        Client("http://[::1]:80", "id", "secret")
        with Server([(200, {}, {"content": [{"companyId": "C1"}]})]) as server:
            payroll = client(server)
            for company in ("..", ".", ""):
                self.assertRaises(ValueError, payroll.get_company, company)
            for path in ("companies", "/companies?a=b", "/companies/../x", "/a b"):
                self.assertRaises(ValueError, payroll.request, "GET", path)
            payroll.get_company("a/b?c")
        self.assertEqual(server.received[0][0], "GET /companies/a%2Fb%3Fc")

    def test_a_redirect_is_not_followed(self):
        with Server([(302, {"location": "http://127.0.0.1:9/"}, "")]) as server:
            self.assertRaises(ResponseInvalid, client(server).get_company, "C1")


class Pages(unittest.TestCase):
    def test_a_list_is_read_page_by_page_with_the_query_of_the_link_only(self):
        def page(ids, rel, query):
            link = {"rel": rel, "href": f"https://other.example/x?{query}"}
            return 200, {}, {"content": [{"workerId": id} for id in ids], "links": [link]}

        replies = [
            page(["1", "2"], "next", "status=A&status=B&offset=2&limit=2"),
            page([], "next", "status=A&status=B&offset=4&limit=2"),
            page(["3"], "previous", "offset=2"),
        ]
        with Server(replies) as server:
            workers = client(server).list_workers("C1", status=["ACTIVE", "PENDING"], page_size=2)
            self.assertEqual([worker.worker_id for worker in workers], ["1", "2", "3"])
        lines = [line.removeprefix("GET /companies/C1/workers?") for line, _, _ in server.received]
        self.assertEqual(
            lines,
            [
                "status=ACTIVE&status=PENDING&limit=2",
                "status=A&status=B&offset=2&limit=2",
                "status=A&status=B&offset=4&limit=2",
            ],
        )
        with Server([page([], "next", "offset=2")] * 2) as server:
            self.assertRaises(ResponseInvalid, list, client(server).list_companies())

    def test_a_list_with_a_cursor_is_read_page_by_page(self):
        def replies(member, query):
            links = [{"rel": "next", "href": f"https://other.example/x?{query}"}]
            # With a filter, a page can be empty although older rows match.
            pages = [(["3", "2"], links), ([], [{**links[0], "href": links[0]["href"].replace("c1", "c2")}]), (["1"], [])]
            return [(200, {}, {"content": [{member: id} for id in ids], "links": rest}) for ids, rest in pages]

        with Server(replies("requestId", "status=4xx&before=c1&limit=2")) as server:
            requests = client(server).list_requests(status="4xx", before="c0", page_size=2)
            self.assertEqual([next(requests).request_id, next(requests).request_id], ["3", "2"])
            self.assertEqual(len(server.received), 1, "the next page is read when it is needed")
            self.assertEqual([it.request_id for it in requests], ["1"])
        lines = [line.removeprefix("GET /management/requests?") for line, _, _ in server.received]
        # The server rejects an offset.
        first, *others = [f"before=c{page}" for page in range(3)]
        self.assertEqual(lines, [f"{first}&status=4xx&limit=2", *(f"status=4xx&{it}&limit=2" for it in others)])
        with Server(replies("deliveryId", "state=EXPIRED&before=c1&limit=100")) as server:
            deliveries = client(server).list_deliveries("H1", state="EXPIRED")
            self.assertEqual([it.delivery_id for it in deliveries], ["3", "2", "1"])
        lines = [line.removeprefix("GET /management/hooks/H1/deliveries?state=EXPIRED&") for line, _, _ in server.received]
        self.assertEqual(lines, ["limit=100", "before=c1&limit=100", "before=c2&limit=100"])

    def test_the_event_feed_continues_after_its_cursor(self):
        event = {"eventId": "e1", "companyId": "C1", "domain": "WRKR_NEW", "asOfDate": "2026-06-07T10:10:24.000+00:00"}
        links = [{"rel": "next", "href": "https://other.example/management/events?limit=1000&after=c42"}]
        with Server([(200, {}, {"content": [event], "links": links}), EMPTY]) as server:
            page = client(server).events()
            self.assertEqual((page.events[0].domain, page.cursor), ("WRKR_NEW", "c42"))
            self.assertEqual(page.events[0].as_of_date.timestamp(), 1_780_827_024)
            self.assertIsNone(client(server).events(page.cursor).cursor)
        self.assertEqual(server.received[1][0], "GET /management/events?limit=1000&after=c42")


if __name__ == "__main__":
    unittest.main()
