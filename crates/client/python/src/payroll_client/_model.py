"""The base class of the objects: reading and writing of JSON, with exact decimals."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timezone
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar, TypeVar

from .errors import ResponseInvalid


_M = TypeVar("_M", bound="Model")


class _Null:
    def __repr__(self) -> str:
        return "NULL"


NULL: Any = _Null()
"""The value of a member that a change deletes. None leaves the member out, which keeps the stored value."""


@dataclass(kw_only=True)
class Model:
    """An object of the API. A member that the response does not have is None."""

    _wire: ClassVar[dict[str, str]] = {}
    etag: ClassVar[str | None] = None
    """The version of a single object for `if_match`. None if its tag is weak, as when reading a worker."""

    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    """Members that this version of the client does not know, with the names of the API."""

    @classmethod
    def from_json(cls: type[_M], value: Any) -> _M:
        """Reads the object from JSON, as `json.loads` returns it."""
        if not isinstance(value, dict):
            raise ResponseInvalid(f"expected an object for {cls.__name__}, got {type(value).__name__}")
        names = _members(cls)
        known: dict[str, Any] = dict.fromkeys(name for name, _ in names.values())
        extra = {}
        for member, inner in value.items():
            if member in names:
                name, kind = names[member]
                known[name] = decode(kind, inner, member)
            else:
                extra[member] = inner
        return cls(**known, extra=extra)

    def to_json(self) -> dict[str, Any]:
        """Returns the object as JSON. Decimals become strings, and members that are None are omitted."""
        own = {member: getattr(self, name) for member, (name, _) in _members(type(self)).items()}
        return {member: encode(value) for member, value in {**own, **self.extra}.items() if value is not None}


# The type hints of a class are read once, because reading them is slow.
_MEMBERS: dict[type[Model], dict[str, tuple[str, Any]]] = {}


def _members(cls: type[Model]) -> dict[str, tuple[str, Any]]:
    """Returns the fields of a class and their types, by their names in JSON."""
    known = _MEMBERS.get(cls)
    if known is None:
        hints = typing.get_type_hints(cls)
        known = {_wire_name(cls, it.name): (it.name, hints[it.name]) for it in fields(cls) if it.name != "extra"}
        _MEMBERS[cls] = known
    return known


def _wire_name(cls: type[Model], name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return cls._wire.get(name) or first + "".join(it[:1].upper() + it[1:] for it in rest)


def decode(kind: Any, value: Any, name: str) -> Any:
    """Reads a value of a type. A text that is not in the enumeration is accepted."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if value is None:
        return None
    if origin in (typing.Union, types.UnionType):
        return decode(next((it for it in arguments if it is not type(None)), Any), value, name)
    if origin is list and isinstance(value, list):
        return [decode(arguments[0], it, name) for it in value]
    if isinstance(kind, type) and issubclass(kind, Model):
        return kind.from_json(value)
    try:
        if kind is Decimal:
            return value if isinstance(value, Decimal) else Decimal(value)
        if kind is datetime:
            return datetime.fromisoformat(value.replace("Z", "+00:00"))
        if kind is date:
            return date.fromisoformat(value[:10])
    except (InvalidOperation, TypeError, ValueError, AttributeError):
        raise ResponseInvalid(f"expected a {kind.__name__.lower()} in {name}, got {value!r}") from None
    return value


def encode(value: Any) -> Any:
    """Returns a value as JSON. A float is an error, because it is not exact."""
    if isinstance(value, float):
        raise TypeError(f"expected a Decimal, got the float {value!r}")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"expected a finite decimal, got {value}")
        return format(value, "f")
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Model):
        return value.to_json()
    if isinstance(value, dict):
        return {member: encode(inner) for member, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(inner) for inner in value]
    return None if value is NULL else value
