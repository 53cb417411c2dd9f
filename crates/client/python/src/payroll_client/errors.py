"""Errors: rejections by the server with their codes, and failures of connections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# The maximum number of errors in the text of an exception. A batch can have hundreds of errors.
MAX_SHOWN = 5


class PayrollError(Exception):
    """The base class of all errors of this client. No text contains the secret or a token."""


@dataclass(frozen=True)
class ApiError:
    """One error of a rejected request."""

    code: str
    """The code, such as API-55, for programs."""
    description: str = ""
    """The description of the error, for people."""
    resolution: str | None = None
    """The advice for resolving the error."""
    pointer: str | None = None
    """The position in the request body as a JSON Pointer (RFC 6901), such as /0/workerId."""
    correlation_id: str | None = None
    """The correlation id of the check that has the error."""

    def __str__(self) -> str:
        return f"{self.code} {self.description}" + (f" ({self.pointer})" if self.pointer else "")


class Rejected(PayrollError):
    """The server has rejected the request."""

    def __init__(
        self,
        status: int,
        errors: tuple[ApiError, ...] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        shown = ", ".join(str(error) for error in errors[:MAX_SHOWN])
        more = f", and {len(errors) - MAX_SHOWN} more errors" if len(errors) > MAX_SHOWN else ""
        super().__init__(f"status {status}" + (": " if shown else "") + shown + more)
        self.status = status
        """The HTTP status, such as 400."""
        self.errors = errors
        """All errors in the order of the request body. Empty if the response has no error envelope."""
        self.request_id = request_id
        """The id of the request, by which the operator of the server can find it in the log."""
        self.retry_after = retry_after
        """The seconds to wait before the next attempt, if the response has a Retry-After."""

    def has_code(self, code: str) -> bool:
        """Returns whether the response has an API code such as API-55."""
        return any(error.code == code for error in self.errors)


class PartlyRejected(Rejected):
    """The server has stored some objects of the request and rejected the others (status 207)."""

    def __init__(self, stored: list[Any], errors: tuple[ApiError, ...], request_id: str | None) -> None:
        super().__init__(207, errors, request_id)
        self.stored = stored
        """The stored objects in the order of the request body."""


class ConnectionFailed(PayrollError):
    """No complete response arrived. `sent` is false if the request has certainly not reached the server."""

    def __init__(self, message: str, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class TimedOut(PayrollError):
    """The response did not arrive within the time limit of an attempt."""


class ResponseInvalid(PayrollError):
    """The response does not match the API description."""
