"""Tests exact values of objects, and signatures of notifications."""

import base64
import hashlib
import hmac
import json
import unittest
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

from payroll_client import NULL, ResponseInvalid, VerificationFailed, Verifier
from payroll_client.models import Check, CheckLine, CheckLineInput, Hook, LegalId, ReplayRequest, WorkerChange

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_ZXhhbXBsZS1vZi1hLXNpZ25pbmctc2VjcmV0"
ID = "31a271e5-b970-49e6-ac8f-d46f73c061af"
TIMESTAMP = "1780827024"
NOW = 1_780_827_024
BODY = b'{"workerId":"W-1","notificationType":"WORKER_MESSAGE","more":{}}'


class Values(unittest.TestCase):
    def test_decimals_are_kept_digit_for_digit(self):
        for text in ("0.10", "1234567890.12", "-3.00", "7.2500", "12345678901234567890123456789012345678.01"):
            for literal in (f'"{text}"', text):
                value = json.loads(f'{{"payAmount": {literal}}}', parse_float=Decimal)
                line = CheckLine.from_json(value)
                self.assertEqual(str(line.pay_amount), text)
                self.assertEqual(line.to_json(), {"payAmount": text})
        for bad in ("", "a", []):
            self.assertRaises(ResponseInvalid, CheckLine.from_json, {"payAmount": bad})
        self.assertEqual(CheckLineInput(component_id="C", pay_hours=Decimal("1E+2")).to_json()["payHours"], "100")

    def test_a_float_is_an_error(self):
        self.assertRaises(TypeError, CheckLineInput(component_id="C", pay_hours=7.25).to_json)
        self.assertRaises(ValueError, CheckLineInput(component_id="C", pay_hours=Decimal("NaN")).to_json)

    def test_days_instants_and_unknown_members_are_read(self):
        check = Check.from_json({"checkDate": "2026-06-05T00:00:00Z", "earnings": [{"lineDate": "2026-06-01"}], "new": [1]})
        self.assertEqual((check.check_date, check.extra), (date(2026, 6, 5), {"new": [1]}))
        self.assertEqual(check.earnings[0].line_date, date(2026, 6, 1))
        hook = Hook.from_json({"createdDate": "2026-07-28T00:37:25.149Z", "signingSecret": SECRET})
        self.assertEqual(hook.created_date, datetime(2026, 7, 28, 0, 37, 25, 149000, timezone.utc))
        self.assertNotIn(SECRET, repr(hook))
        self.assertNotIn("900123456", repr(LegalId(legal_id_type="SSN", legal_id_value="900123456")))

    def test_a_change_can_delete_a_member(self):
        self.assertEqual(WorkerChange(clock_id=NULL, extra={"newMember": Decimal("0.10")}).to_json(), {"clockId": None, "newMember": "0.10"})
        east = datetime(2026, 6, 7, 12, tzinfo=timezone(timedelta(hours=2)))
        self.assertEqual(ReplayRequest(from_=east).to_json(), {"from": "2026-06-07T10:00:00.000Z"})


def sign(secret, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{ID}.{TIMESTAMP}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(digest).decode()


def headers(signature, timestamp=TIMESTAMP):
    return {"Webhook-Id": ID, "webhook-timestamp": timestamp, "webhook-signature": signature}


class Signatures(unittest.TestCase):
    def test_a_right_signature_is_accepted(self):
        signatures = f"v1,AAAA v1a,other {sign(SECRET, BODY)}"
        self.assertEqual(Verifier(OTHER, SECRET).verify(headers(signatures), BODY, NOW + 300).worker_id, "W-1")

    def test_a_known_signature_is_accepted(self):
        # This signature was computed with OpenSSL.
        known = "v1,U/VjWJDGm5YMq89fKbeXH4NCmm8I3FIAVpakzauDDRQ="
        self.assertEqual(Verifier(SECRET).verify(headers(known), b"{}", NOW).extra, {})

    def test_a_wrong_signature_is_rejected(self):
        right = sign(SECRET, BODY)
        many = "v1,AAAA " * 8 + right
        cases = [(OTHER, right, BODY), (SECRET, right, BODY + b" "), (SECRET, "", BODY), (SECRET, right[3:], BODY)]
        for secret, signature, body in [*cases, (SECRET, many, BODY), (SECRET, "v1,\u00e9", BODY)]:
            self.assertRaises(VerificationFailed, Verifier(secret).verify, headers(signature), body, NOW)
        self.assertRaises(VerificationFailed, Verifier(SECRET).verify, {}, BODY, NOW)

    def test_an_old_or_invalid_timestamp_is_rejected(self):
        signature = sign(SECRET, BODY)
        for now in (NOW + 301, NOW - 301):
            self.assertRaises(VerificationFailed, Verifier(SECRET).verify, headers(signature), BODY, now)
        for timestamp in ("", "-1", "+1780827024", "1780827024.5", "0000000001780827024"):
            self.assertRaises(VerificationFailed, Verifier(SECRET).verify, headers(signature, timestamp), BODY, NOW)

    def test_a_verifier_needs_a_valid_secret(self):
        self.assertRaises(ValueError, Verifier)
        for bad in ("", "whsec_", "whsec_not base64!"):
            self.assertRaises(ValueError, Verifier, bad)


if __name__ == "__main__":
    unittest.main()
