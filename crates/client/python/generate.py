#!/usr/bin/env python3
"""Generates models.py and _operations.py from the OpenAPI description.

The description is docs/openapi.json of the repository, or the file in DESCRIPTION. The build of the package
runs this script (backend.py). Each object becomes a dataclass, and each operation a method.
"""

import json
import keyword
import os
import pathlib
import re
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE / "src" / "payroll_client"
METHODS = ("get", "post", "patch", "delete")
# Operations whose methods are written by hand.
OWN = ("createToken", "listEvents")
# Members that `repr` of an object omits.
HIDDEN = {"access_token", "accountNumber", "apiKey", "birthDate", "clientSecret", "legalIdValue", "password", "signingSecret"}
# The parameters that begin a page. Each list with pages has one of them: an offset, or a cursor.
PAGE_STARTS = ("offset", "before")
# The parameters that `_pages` sets.
OF_PAGES = ("offset", "limit")
# Matches the patterns of decimals in the description, but not those of ids, telephone numbers and names.
DECIMAL = re.compile(r"\\\.\[0-9\]")
MAX_WIDTH = 110


def description():
    return pathlib.Path(os.environ.get("DESCRIPTION") or HERE.parents[2] / "docs" / "openapi.json")


def snake(name):
    """Returns the Python name of a member, such as pay_hours for payHours."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    parts = re.sub(r"\W", "_", parts)
    return parts + "_" if keyword.iskeyword(parts) else parts


def documented(text, indent):
    """Returns a docstring with this indentation, or an empty text if there is no text."""
    if not text:
        return ""
    text = " ".join(text.replace("\\", "\\\\").replace('"""', "'''").split())
    lines = textwrap.wrap(text + " " if text.endswith('"') else text, MAX_WIDTH - indent - 6)
    return textwrap.indent('"""' + "\n".join(lines) + ('"""\n' if len(lines) == 1 else '\n"""\n'), " " * indent)


class Models:
    """The dataclasses and enumerations, in the order of their first use."""

    def __init__(self, document):
        self.document, self.schemas = document, document["components"]["schemas"]
        self.texts, self.names, self.pending = {}, set(), []

    def resolve(self, schema):
        while "$ref" in schema:
            schema = self.follow(schema["$ref"])
        return schema

    def follow(self, reference):
        node = self.document
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]
        return node

    def type_of(self, schema, name):
        """Returns the Python type of a schema. `name` is the class name of an object without its own name."""
        if "$ref" in schema:
            name = schema["$ref"].split("/")[-1]
            if name in self.schemas:
                return self.named(name)
            schema = self.resolve(schema)
        kinds = schema.get("type") or []
        kinds = [kinds] if isinstance(kinds, str) else kinds
        kind = next((it for it in kinds if it != "null"), None)
        if "enum" in schema and kind == "string":
            return "Literal[" + ", ".join(json.dumps(it) for it in schema["enum"] if it is not None) + "]"
        if "oneOf" in schema:
            return " | ".join(self.type_of(it, name) for it in schema["oneOf"])
        if kind == "array":
            return f"list[{self.type_of(schema.get('items', {}), name)}]"
        if kind == "object":
            if not schema.get("properties"):
                return "dict[str, Any]"
            self.add(name, schema)
            return name
        if kind == "string":
            return self.text_type(schema)
        return {"boolean": "bool", "integer": "int", "number": "Decimal"}.get(kind, "Any")

    @staticmethod
    def text_type(schema):
        pattern = schema.get("pattern", "")
        if schema.get("format") == "date-time":
            examples = schema.get("examples") or [""]
            return "datetime" if re.search(r"[1-9]", str(examples[0])[11:19]) else "date"
        if pattern.startswith("^((000[1-9]"):
            return "date"
        if pattern.startswith("^") and DECIMAL.search(pattern) and "A-Z" not in pattern:
            return "Decimal"
        return "str"

    def named(self, name):
        schema = self.schemas[name]
        if name not in self.names:
            if schema.get("properties"):
                self.add(name, schema)
            else:
                self.names.add(name)
                alias = f"{name}: TypeAlias = {self.type_of(schema, name + 'Entry')}\n{documented(schema.get('description'), 0)}"
                self.texts[name] = alias
        return name

    def add(self, name, schema):
        if name in self.names:
            return
        self.names.add(name)
        required = set(schema.get("required", []))
        wire, rows = {}, []
        for member, inner in sorted(schema["properties"].items(), key=lambda it: it[0] not in required):
            field = snake(member)
            if camel(field) != member:
                wire[field] = member
            is_required = member in required and not self.may_be_null(inner)
            rows.append(self.row(field, self.type_of(inner, name + member[0].upper() + member[1:]), member, is_required))
            rows.append(documented(self.resolve(inner).get("description") or inner.get("description"), 4))
        text = f"@dataclass(kw_only=True)\nclass {name}(Model):\n"
        text += documented(schema.get("description") or f"An object of type {name}.", 4) + "\n"
        if wire:
            text += f"    _wire: ClassVar[dict[str, str]] = {wire!r}\n"
        self.texts[name] = text + "".join(rows)

    def may_be_null(self, schema):
        return "null" in (self.resolve(schema).get("type") or [])

    @staticmethod
    def row(field, kind, member, is_required):
        hidden = member in HIDDEN
        if is_required:
            return f"    {field}: {kind}{' = field(repr=False)' if hidden else ''}\n"
        default = "field(default=None, repr=False)" if hidden else "None"
        return f"    {field}: {kind} | None = {default}\n"


def camel(field):
    """Returns the default member for a Python name, such as payHours for pay_hours."""
    first, *rest = field.rstrip("_").split("_")
    return first + "".join(it[:1].upper() + it[1:] for it in rest)


class Operation:
    """The method of an operation."""

    def __init__(self, models, method, path, item, operation):
        self.models, self.method, self.path, self.operation = models, method, path, operation
        parameters = [models.resolve(it) for it in item.get("parameters", []) + operation.get("parameters", [])]
        self.of_path = [it["name"] for it in parameters if it["in"] == "path"]
        self.query = [it for it in parameters if it["in"] == "query"]
        self.headers = {it["name"].lower() for it in parameters if it["in"] == "header"}
        self.has_pages = any(it["name"] in PAGE_STARTS for it in self.query)
        if self.has_pages:
            self.query = [it for it in self.query if it["name"] not in OF_PAGES]
        self.name = snake(operation["operationId"])
        body = operation.get("requestBody", {})
        content = body.get("content", {})
        self.media_type = "application/json" if "application/json" in content else next(iter(content), None)
        schema = content.get(self.media_type, {}).get("schema", {})
        self.body = models.type_of(schema, "".join(it.title() for it in self.name.split("_")) + "Body") if content else None
        self.needs_body = bool(body.get("required"))
        self.takes_list = models.resolve(schema).get("type") == "array"
        self.shape, self.result = self.response()

    def response(self):
        """Returns how the value is read from the response, and the type of the value."""
        success = [it for status, it in sorted(self.operation["responses"].items()) if status.startswith("2")]
        contents = [self.models.resolve(it).get("content", {}) for it in success]
        content = next((it for it in contents if it), None)
        # A deletion returns no value, even if its status is 200.
        if content is None or self.method == "delete":
            return "nothing", "None"
        if "application/json" not in content:
            return "bytes", "bytes"
        schema = content["application/json"]["schema"]
        inner = self.models.resolve(schema).get("properties", {}).get("content")
        name = "".join(it.title() for it in self.name.split("_")) + "Response"
        if not inner:
            return "value", self.models.type_of(schema, name)
        element = self.models.type_of(inner["items"], name)
        if self.has_pages:
            return "pages", element
        is_list = self.takes_list or self.operation["operationId"].startswith("list")
        if is_list:
            return "content", f"list[{element}]"
        # Paths of optional parts of a worker, such as the federal tax settings, have no id at the end.
        may_lack = self.method == "get" and not self.path.endswith("}")
        return ("optional", f"{element} | None") if may_lack else ("first", element)

    def signature(self):
        arguments = ["self", *(f"{snake(it)}: str" for it in self.of_path)]
        if self.body:
            kind = self.body.replace("list[", "Sequence[", 1) if self.takes_list else self.body
            arguments.append(f"body: {kind}" + ("" if self.needs_body else " | None = None"))
        named = []
        for it in sorted(self.query, key=lambda it: not it.get("required")):
            kind = self.models.type_of(it["schema"], "Any").replace("list[", "Sequence[", 1)
            named.append(f"{snake(it['name'])}: {kind}" + ("" if it.get("required") else " | None = None"))
        if self.has_pages:
            named.append("page_size: int = DEFAULT_PAGE_SIZE")
        if "idempotency-key" in self.headers:
            named.append("idempotency_key: str | None = None")
        if "if-match" in self.headers:
            named.append("if_match: str | None = None")
        return arguments + (["*", *named] if named else [])

    def text(self):
        result = f"Iterator[{self.result}]" if self.shape == "pages" else self.result
        text = f"    def {self.name}(\n        " + ",\n        ".join(self.signature()) + f",\n    ) -> {result}:\n"
        summary = self.operation.get("summary", "").rstrip(".") + ". " + self.operation.get("description", "")
        text += documented(summary, 8)
        arguments = [json.dumps(self.method.upper()), json.dumps(self.path)]
        arguments.append("{" + ", ".join(f"{json.dumps(it)}: {snake(it)}" for it in self.of_path) + "}")
        query = [it["name"] for it in self.query]
        arguments.append("{" + ", ".join(f"{json.dumps(it)}: {snake(it)}" for it in query) + "}")
        if self.shape == "pages":
            arguments += [self.result, "page_size"]
        else:
            arguments += [json.dumps(self.shape), self.result]
            if self.body:
                arguments += ["body=body", f"media_type={json.dumps(self.media_type)}"]
            arguments += [f"{it}={it}" for it in ("idempotency_key", "if_match") if it.replace("_", "-") in self.headers]
        call = "_pages" if self.shape == "pages" else "_call"
        called = f"self.{call}(\n            " + ",\n            ".join(arguments) + ",\n        )\n"
        if self.shape == "nothing":
            return f"{text}        {called}"
        return f"{text}        result: {result} = {called}        return result\n"


HEAD = '"""{}. Generated from the OpenAPI description: do not edit."""\n\nfrom __future__ import annotations\n\n'


def main():
    document = json.loads(description().read_text())
    models = Models(document)
    for name in models.schemas:
        models.named(name)
    operations = [
        Operation(models, method, path, item, item[method])
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item and item[method]["operationId"] not in OWN
    ]
    text = HEAD.format("The objects of the API")
    text += "from dataclasses import dataclass, field\nfrom datetime import date, datetime\nfrom decimal import Decimal\n"
    text += "from typing import Any, ClassVar, Literal, TypeAlias\n\nfrom ._model import Model\n\n\n"
    (PACKAGE / "models.py").write_text(text + "\n\n".join(models.texts.values()))
    text = HEAD.format("The operations of the API")
    text += "from collections.abc import Iterator, Sequence\nfrom datetime import date\nfrom typing import Any, Literal\n\n"
    text += "from ._caller import DEFAULT_PAGE_SIZE, Caller\nfrom .models import *\n\n\n"
    text += 'class Operations(Caller):\n    """One method for each operation."""\n\n'
    (PACKAGE / "_operations.py").write_text(text + "\n".join(it.text() for it in operations))


if __name__ == "__main__":
    main()
