"""The client and its settings."""

from __future__ import annotations

import ipaddress
import urllib.parse
from dataclasses import dataclass

from ._caller import next_query
from ._http import exchange
from ._model import decode
from ._operations import Operations
from ._retry import DEFAULT_ATTEMPTS, FIRST_DELAY_SECONDS, MAX_ATTEMPTS
from ._token import Tokens, token_form
from .models import Event
from .private_key import PrivateKey

# The default time limit of one attempt. A batch of 100 checks needs less than a second.
DEFAULT_TIMEOUT_SECONDS = 30.0
# The number of events in a page of the feed, which is the maximum of the server.
EVENTS_PER_PAGE = 1_000


@dataclass(frozen=True)
class EventPage:
    """A page of the event feed."""

    events: list[Event]
    """The events in their order. Empty if there are no new ones."""
    cursor: str | None
    """The position after these events. Store the cursor, and continue from it."""


class Client(Operations):
    """A client of one application. Several threads can use one client.

    The client requests a token before the first request, and renews the token before it expires.

        client = Client("https://payroll.example.com", "pkc_…", "pks_…")
        for company in client.list_companies():
            print(company.legal_name)
    """

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str | None = None,
        *,
        private_key: PrivateKey | None = None,
        audience: str | None = None,
        attempts: int = DEFAULT_ATTEMPTS,
        first_delay: float = FIRST_DELAY_SECONDS,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        vendor: str = "vendor",
        allow_plain_http: bool = False,
    ) -> None:
        """Set either `client_secret` or `private_key`. Set `audience` if requests are signed and the public
        address of the server differs from `base_url`, for example in an internal network. `audience` is that
        public address.

        `attempts` is the maximum number of attempts for a request. `first_delay` is the wait after the first
        failed attempt, and `timeout` the time limit of an attempt, both in seconds. Set `vendor` if the
        operator of the server has changed the vendor's name in media types. `allow_plain_http` accepts an
        unencrypted address of another machine.
        """
        self._base = _checked_base(base_url, allow_plain_http)
        if not 1 <= attempts <= MAX_ATTEMPTS:
            raise ValueError(f"attempts must be from 1 to {MAX_ATTEMPTS}, got {attempts}")
        self._attempts, self._first_delay, self._timeout, self._vendor = attempts, first_delay, timeout, vendor
        _check_credential(client_secret, private_key)
        signed_for = self._base if audience is None else audience
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}

        def form() -> bytes:
            return token_form(client_id, client_secret, private_key, signed_for)

        url = self._base + "/auth/oauth/v2/token"
        self._tokens = Tokens(lambda: exchange("POST", url, headers, form(), timeout).data)

    def __repr__(self) -> str:
        return f"Client({self._base!r})"

    def events(self, cursor: str | None = None) -> EventPage:
        """Reads the events after a cursor, or from the beginning of the feed, which goes back 90 days.

        Call this method again with the cursor of the page. Call it immediately if the page has events,
        otherwise later.
        """
        page = self.request("GET", "/management/events", query={"limit": EVENTS_PER_PAGE, "after": cursor}).data
        events = decode(list[Event], page["content"], "content")
        return EventPage(events, dict(next_query(page) or []).get("after"))


def _check_credential(client_secret: object, private_key: object) -> None:
    if (client_secret is None) == (private_key is None):
        raise ValueError("expected either client_secret or private_key")
    if isinstance(client_secret, PrivateKey) or not isinstance(private_key, (PrivateKey, type(None))):
        raise TypeError("expected private_key=PrivateKey.from_pem(…)")


def _checked_base(address: str, allow_plain_http: bool) -> str:
    url = urllib.parse.urlsplit(address)
    if url.scheme not in ("https", "http") or not url.hostname:
        raise ValueError("base_url must begin with https://")
    if url.username or url.query or url.fragment:
        raise ValueError("base_url must have no user, query or fragment")
    if url.scheme == "http" and not allow_plain_http and not _is_local(url.hostname):
        raise ValueError("base_url is not encrypted: use https, or set allow_plain_http in a trusted network")
    return address.rstrip("/")


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
