"""Client of the payroll integration API.

`Client` has a method for each operation, `models` has the objects, `PrivateKey` signs token requests, and `Verifier`
verifies notifications.
"""

from ._caller import DEFAULT_PAGE_SIZE, Response
from ._model import NULL, Model
from .client import Client, EventPage
from .errors import ApiError, ConnectionFailed, PartlyRejected, PayrollError, Rejected, ResponseInvalid, TimedOut
from .private_key import PrivateKey
from .webhook import VerificationFailed, Verifier

__all__ = [
    "DEFAULT_PAGE_SIZE",
    "NULL",
    "ApiError",
    "Client",
    "ConnectionFailed",
    "EventPage",
    "Model",
    "PartlyRejected",
    "PayrollError",
    "PrivateKey",
    "Rejected",
    "Response",
    "ResponseInvalid",
    "TimedOut",
    "VerificationFailed",
    "Verifier",
]
