"""Retries of failed attempts, and their limits.

An attempt is repeated after status 429 or 503, after a timeout, and after a broken connection. A POST has an
Idempotency-Key, so the server executes it only once. A PATCH has no such key. The client repeats a PATCH only
if the server cannot have processed the request.
"""

from __future__ import annotations

import random
from datetime import timezone
from email.utils import parsedate_to_datetime

from .errors import ConnectionFailed, PayrollError, Rejected, TimedOut

# The default number of attempts for a request. Three retries bridge the restart of a server.
DEFAULT_ATTEMPTS = 4
# The maximum number of attempts. More attempts would only add load to an overloaded server.
MAX_ATTEMPTS = 10
# The wait after the first failed attempt. The wait doubles with each further attempt.
FIRST_DELAY_SECONDS = 0.5
# The maximum wait without Retry-After.
MAX_DELAY_SECONDS = 8.0
# The maximum Retry-After for which the client waits. With a longer one, it raises the error immediately.
MAX_RETRY_AFTER_SECONDS = 60.0


def delay(attempt: int, attempts: int, first_delay: float, error: PayrollError, repeatable: bool) -> float | None:
    """Returns the seconds before the next attempt, or None if the error is final."""
    if attempt >= attempts or not _may_repeat(error, repeatable):
        return None
    named = error.retry_after if isinstance(error, Rejected) else None
    # The random part prevents clients from retrying at the same time.
    if named is not None:
        return None if named > MAX_RETRY_AFTER_SECONDS else named + random.uniform(0, first_delay)
    full = min(first_delay * 2 ** (attempt - 1), MAX_DELAY_SECONDS)
    return random.uniform(full / 2, full)


def _may_repeat(error: PayrollError, repeatable: bool) -> bool:
    if isinstance(error, TimedOut):
        return repeatable
    if isinstance(error, ConnectionFailed):
        return repeatable or not error.sent
    if not isinstance(error, Rejected):
        return False
    # Status 409 with Retry-After means that the first request with this idempotency key is still in progress.
    is_running = error.status == 409 and error.retry_after is not None
    return error.status == 429 or (repeatable and (error.status == 503 or is_running))


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Reads the value of Retry-After: a number of seconds, or a date."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).timestamp() - now)
