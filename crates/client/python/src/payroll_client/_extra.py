"""The optional dependency `keys` of this package, for programs that use private or public keys."""

from __future__ import annotations

from types import ModuleType


def keys() -> ModuleType:
    """Returns the module of the extra `keys`, or raises an error that names the extra."""
    try:
        from . import _keys
    except ImportError as error:
        message = "private and public keys need the package cryptography: pip install 'payroll-client[keys]'"
        raise ImportError(message) from error
    return _keys
