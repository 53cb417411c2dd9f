"""One exchange over HTTP with the standard library, within a time limit and a size limit."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ._retry import parse_retry_after
from .errors import ApiError, ConnectionFailed, PayrollError, Rejected, ResponseInvalid, TimedOut

# The maximum size of a response in bytes. Read a larger list page by page.
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 65_536


@dataclass(frozen=True)
class Response:
    """A successful response."""

    status: int
    """The HTTP status, from 200 to 299."""
    data: Any
    """The JSON value, the bytes of another type, or None."""
    etag: str | None
    """The version of the object for `if_match`. None for weak tags, as in lists and when reading a worker."""
    request_id: str | None
    """The id of the request, by which the operator of the server can find it in the log."""
    replayed: bool
    """Whether the server has replayed the response to an earlier request with the same idempotency key."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Rejects redirects, because a redirect could send the token to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def exchange(method: str, url: str, headers: dict[str, str], body: bytes | None, timeout: float) -> Response:
    """Sends a request and reads the response. An error status becomes an exception with its codes."""
    request = urllib.request.Request(url, body, headers, method=method)
    end = time.monotonic() + timeout
    try:
        with _opener.open(request, timeout=timeout) as response:
            return _success(response.status, response.headers, _read(response, end))
    except urllib.error.HTTPError as error:
        with error:
            try:
                content = _read(error, end)
            except (OSError, http.client.HTTPException):
                content = b""
        raise _rejection(error.code, error.headers, content) from None
    except urllib.error.URLError as error:
        raise _failure(error.reason, timeout) from None
    except (OSError, http.client.HTTPException) as error:
        raise _failure(error, timeout) from None


def _read(response: Any, end: float) -> bytes:
    content = bytearray()
    while chunk := response.read1(CHUNK_BYTES) if hasattr(response, "read1") else response.read(CHUNK_BYTES):
        content += chunk
        if len(content) > MAX_RESPONSE_BYTES:
            raise ResponseInvalid(f"the response has more than {MAX_RESPONSE_BYTES} bytes")
        if time.monotonic() > end:
            raise TimeoutError
    # `read1` does not report an incomplete body.
    if getattr(response, "length", None):
        raise http.client.IncompleteRead(bytes(content), response.length)
    return bytes(content)


def _failure(error: Any, timeout: float) -> PayrollError:
    if isinstance(error, TimeoutError):
        return TimedOut(f"no response within {timeout:g} seconds")
    sent = not isinstance(error, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError))
    return ConnectionFailed(f"no complete response: {error}", sent)


def _success(status: int, headers: Any, content: bytes) -> Response:
    data: Any = content or None
    if content and "json" in headers.get("content-type", ""):
        data = _parsed(content)
    replayed = headers.get("idempotent-replayed") == "true"
    etag = headers.get("etag", "")
    # A weak tag never matches in If-Match.
    return Response(status, data, etag if etag.startswith('"') else None, _request_id(headers), replayed)


def _parsed(content: bytes) -> Any:
    try:
        # Numbers with a fraction are read from their literal text, because a float could round them.
        return json.loads(content, parse_float=Decimal)
    except ValueError:
        # The text of the error could contain a token.
        raise ResponseInvalid("the response is not valid JSON") from None


def _rejection(status: int, headers: Any, content: bytes) -> PayrollError:
    if status < 400:
        return ResponseInvalid(f"status {status} is neither a success nor an error")
    try:
        errors = api_errors(json.loads(content))
    except ValueError:
        errors = ()
    retry_after = parse_retry_after(headers.get("retry-after"), time.time())
    return Rejected(status, errors, _request_id(headers), retry_after)


def api_errors(envelope: Any) -> tuple[ApiError, ...]:
    """Returns the errors of a response. Empty if it has no error envelope."""
    try:
        return tuple(_api_error(it) for it in envelope["errors"])
    except (KeyError, TypeError, AttributeError):
        return ()


def _api_error(error: dict[str, Any]) -> ApiError:
    pointer, correlation = error.get("pointer"), error.get("correlationId")
    return ApiError(error["code"], error.get("description", ""), error.get("resolution"), pointer, correlation)


def _request_id(headers: Any) -> str | None:
    """Returns the id of the request. Operators can change the name of its header, except -txid at the end."""
    return next((value for name, value in headers.items() if name.lower().endswith("-txid")), None)
