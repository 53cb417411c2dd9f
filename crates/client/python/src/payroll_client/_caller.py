"""Requests with a token, retries and pages."""

from __future__ import annotations

import json
import re
import time
import urllib.parse
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from ._http import Response, api_errors, exchange
from ._model import Model, decode, encode
from ._retry import delay
from ._token import Tokens
from .errors import PartlyRejected, PayrollError, Rejected, ResponseInvalid

__all__ = ["DEFAULT_PAGE_SIZE", "Caller", "Response"]

# The default number of elements of a page. It keeps a page of any list below about 1 MB.
DEFAULT_PAGE_SIZE = 100


class Caller:
    """Sends the requests of a client."""

    _base: str
    _attempts: int
    _first_delay: float
    _timeout: float
    _vendor: str
    _tokens: Tokens

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | Sequence[tuple[str, Any]] = (),
        body: Any = None,
        media_type: str = "application/json",
        accept: str = "application/json",
        idempotency_key: str | None = None,
        if_match: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Sends any request and returns the response with its headers. `path` is escaped, without query."""
        if not path.startswith("/") or re.search(r"[?#\s]|/\.{1,2}(/|$)", path):
            raise ValueError(f"expected an escaped path without query, got {path!r}")
        sent = {"accept": self._media_type(accept), "user-agent": "payroll-client-python", **(headers or {})}
        content = None
        if body is not None:
            content = json.dumps(encode(body)).encode()
            sent["content-type"] = self._media_type(media_type)
        if method == "POST":
            sent["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        if if_match is not None:
            sent["if-match"] = if_match
        pairs = list(_pairs(query))
        url = self._base + path + ("?" + urllib.parse.urlencode(pairs) if pairs else "")
        return self._attempt(method, url, sent, content)

    def _attempt(self, method: str, url: str, headers: dict[str, str], content: bytes | None) -> Response:
        """Sends the request until an attempt succeeds or the error is final. Renews an invalid token once."""
        attempt, rejected = 1, None
        while True:
            token = None
            try:
                token = self._tokens.token(rejected)
                return exchange(method, url, {**headers, "authorization": f"Bearer {token}"}, content, self._timeout)
            except PayrollError as error:
                is_expired = isinstance(error, Rejected) and error.status == 401
                if is_expired and token is not None and rejected is None:
                    rejected = token
                    continue
                wait = delay(attempt, self._attempts, self._first_delay, error, method != "PATCH")
                if wait is None:
                    raise
            time.sleep(wait)
            attempt += 1

    def _media_type(self, media_type: str) -> str:
        return media_type.replace("/vnd.vendor.", f"/vnd.{self._vendor}.")

    def _call(
        self, method: str, path: str, ids: dict[str, str], query: dict[str, Any], shape: str, kind: Any, **options: Any
    ) -> Any:
        """Sends the request of an operation and reads the value of the response."""
        if shape == "bytes":
            options["accept"] = "*/*"
        response = self.request(method, _filled(path, ids), query=query, **options)
        data = response.data
        if shape == "nothing":
            return None
        if shape == "bytes":
            return data or b""
        if shape in ("content", "first", "optional"):
            data = data.get("content") if isinstance(data, dict) else None
            if not isinstance(data, list):
                raise ResponseInvalid("the response has no content")
        if shape == "optional" and not data:
            return None
        if shape in ("first", "optional"):
            if not data:
                raise ResponseInvalid("the content of the response is empty")
            data = data[0]
        value = decode(kind, data, "content")
        if response.status == 207:
            raise PartlyRejected(value, api_errors(response.data), response.request_id)
        if isinstance(value, Model):
            # The class attribute is only the default.
            value.etag = response.etag  # type: ignore[misc]
        return value

    def _pages(
        self, method: str, path: str, ids: dict[str, str], query: dict[str, Any], kind: Any, page_size: int
    ) -> Iterator[Any]:
        """Reads all elements of a list, page by page. Each page is a separate snapshot."""
        path = _filled(path, ids)
        pairs: list[tuple[str, str]] | None = list(_pairs({**query, "limit": page_size}))
        while pairs is not None:
            data = self.request(method, path, query=pairs).data
            if not isinstance(data, dict):
                raise ResponseInvalid("the response has no content")
            for element in data.get("content", []):
                yield decode(kind, element, "content")
            following = next_query(data)
            if following == pairs:
                raise ResponseInvalid("the link to the next page leads to the same page")
            pairs = following


def next_query(page: Any) -> list[tuple[str, str]] | None:
    """Returns the query of the link to the next page. Only the query is used, so a response cannot direct the
    token to another server."""
    links = page.get("links", []) if isinstance(page, dict) else []
    href = next((link["href"] for link in links if link.get("rel") == "next"), None)
    return None if href is None else urllib.parse.parse_qsl(urllib.parse.urlsplit(href).query, keep_blank_values=True)


def _filled(path: str, ids: dict[str, str]) -> str:
    """Replaces the names in braces. Rejects segments such as `..`, which would refer to another operation."""
    for name, value in ids.items():
        if str(value) in ("", ".", ".."):
            raise ValueError(f"expected an id for {name}, got {value!r}")
        path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
    return path


def _pairs(query: Mapping[str, Any] | Sequence[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Returns the parameters of a query. A list becomes a repeated parameter, and None is omitted."""
    for name, value in query.items() if isinstance(query, Mapping) else query:
        for it in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(it, bool):
                yield name, "true" if it else "false"
            elif isinstance(it, date):
                yield name, encode(it)
            elif it is not None:
                yield name, str(it)
