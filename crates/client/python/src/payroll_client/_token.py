"""Access tokens: the OAuth 2.0 client credentials grant."""

from __future__ import annotations

import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable
from typing import Any

from .errors import ResponseInvalid
from .private_key import PrivateKey

# The type of the assertions (RFC 7523, section 2.2).
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
# A token is renewed this long before its end, so that the token does not expire during a request.
MARGIN_SECONDS = 60.0
# The lifetime of a token if the response does not contain a lifetime.
DEFAULT_LIFETIME_SECONDS = 240.0


class Tokens:
    """Stores the token of a client. The lock is held during a token request, so threads share one request."""

    def __init__(self, request: Callable[[], Any]) -> None:
        self._request, self._lock = request, threading.Lock()
        self._value, self._renewal = "", 0.0

    def token(self, rejected: str | None = None) -> str:
        """Returns a valid token. `rejected` is a token that the server no longer accepts."""
        with self._lock:
            if self._value in ("", rejected) or time.monotonic() >= self._renewal:
                self._renew()
            return self._value

    def _renew(self) -> None:
        response = self._request()
        value = response.get("access_token") if isinstance(response, dict) else None
        if not isinstance(value, str) or not value:
            raise ResponseInvalid("the token response has no valid token")
        try:
            lifetime = float(response.get("expires_in", DEFAULT_LIFETIME_SECONDS))
        except (TypeError, ValueError):
            lifetime = DEFAULT_LIFETIME_SECONDS
        # A short lifetime, as in tests, is shortened by at most half.
        self._renewal = time.monotonic() + lifetime - min(MARGIN_SECONDS, lifetime / 2)
        self._value = value


def token_form(client_id: str, client_secret: str | None, private_key: PrivateKey | None, audience: str) -> bytes:
    """Returns the form of a token request. Each form has a new assertion, which the server accepts once."""
    form = {"grant_type": "client_credentials", "client_id": client_id}
    if private_key is None:
        form["client_secret"] = client_secret or ""
    else:
        form["client_assertion_type"] = ASSERTION_TYPE
        form["client_assertion"] = private_key._assertion(client_id, audience, int(time.time()), str(uuid.uuid4()))
    return urllib.parse.urlencode(form).encode()
