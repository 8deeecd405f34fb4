"""What pydantic found wrong with the shape of a document, said to the person who wrote the document."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from claims.characters import visible
from claims.flaws import Flaw, pointer

Path = tuple[str | int, ...]
Schema = Mapping[str, Any]
_QUOTED = 60  # characters of a value that a message quotes
_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "string_type": "text",
        "int_type": "a whole number, without a decimal point",
        "float_type": "a number",
        "bool_type": "true or false",
        "list_type": "a list",
        "dict_type": "an object",
        "model_type": "an object",
        "model_attributes_type": "an object",
    }
)
_BOUNDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "greater_than": ("gt", "above"),
        "greater_than_equal": ("ge", "of at least"),
        "less_than": ("lt", "below"),
        "less_than_equal": ("le", "of at most"),
    }
)
_LENGTHS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "string_too_short": ("min_length", "at least {} characters"),
        "string_too_long": ("max_length", "at most {} characters"),
        "too_short": ("min_length", "at least {} in the list"),
        "too_long": ("max_length", "at most {} in the list"),
    }
)


def flaws_of_shape(error: ValidationError, model: type[BaseModel]) -> list[Flaw]:
    """The flaws of a document that did not fit `model`, in the order of the model's fields."""
    return [_flaw(found, model) for found in error.errors(include_url=False)]


def in_document_order(flaws: list[Flaw], document: Any) -> list[Flaw]:  # noqa: ANN401 - any JSON value
    """The flaws as a reader of the document meets them; those of one place keep their order."""
    order = {place: index for index, place in enumerate(_places(document, ""))}

    def position(flaw: Flaw) -> int:
        place = flaw.pointer
        while place not in order:  # a place that is missing stands where its nearest parent does
            place = place.rpartition("/")[0]
        return order[place]

    return sorted(flaws, key=position)


def _places(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401
    yield at
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, at + pointer(visible(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, at + pointer(index))


@dataclass(frozen=True)
class _Found:
    """One error of pydantic, with its place in the document and the schema of what should stand there."""

    path: Path
    schema: Schema
    kind: str
    given: Any
    context: Mapping[str, Any]
    message: str

    @property
    def at(self) -> str:
        return pointer(*self.path)


def _flaw(error: ErrorDetails, model: type[BaseModel]) -> Flaw:
    path, schema = _locate(error["loc"], model)
    found = _Found(path, schema, error["type"], error["input"], error.get("ctx", {}), error["msg"])
    say = _SAY.get(found.kind)
    return say(found) if say else Flaw(found.at, "bad_form", found.message, _wanted(schema))


def _wrong_type(found: _Found) -> Flaw:
    wanted = _TYPES[found.kind]
    detail = f"{_said(found.given)} stands where {wanted} should"
    return Flaw(found.at, "wrong_type", detail, _wanted(found.schema) or f"Write {wanted}.")


def _out_of_bounds(found: _Found) -> Flaw:
    key, words = _BOUNDS[found.kind]
    remedy = f"Write a number {words} {found.context[key]:,}."
    return Flaw(found.at, "out_of_bounds", f"{_said(found.given)} is out of bounds", remedy)


def _bad_length(found: _Found) -> Flaw:
    key, words = _LENGTHS[found.kind]
    return Flaw(
        found.at, "bad_length", f"its length is {len(found.given):,}", f"Give {words.format(found.context[key])}."
    )


def _missing(found: _Found) -> Flaw:
    return _without(found.path[:-1], str(found.path[-1]), _wanted(found.schema))


def _without_tag(found: _Found) -> Flaw:
    return _without(found.path, found.schema["discriminator"]["propertyName"], _tags(found.schema))


def _without(path: Path, key: str, remedy: str) -> Flaw:
    return Flaw(pointer(*path), "missing_key", f"the key “{key}” is missing", f"Add “{key}”. {remedy}".strip())


def _wrong_tag(found: _Found) -> Flaw:
    key = found.schema["discriminator"]["propertyName"]
    detail = f"{_said(found.given[key])} is not known here"
    return Flaw(pointer(*found.path, key), "not_allowed", detail, _tags(found.schema))


def _tags(schema: Schema) -> str:
    return f"Use one of {', '.join(schema['discriminator']['mapping'])}."


def _unknown_key(found: _Found) -> Flaw:
    known, key = list(found.schema["properties"]), str(found.path[-1])
    nearest = difflib.get_close_matches(key, known, n=1)
    question = f"Did you mean “{nearest[0]}”? " if nearest else ""
    remedy = f"{question}Known keys: {', '.join(known)}."
    return Flaw(found.at, "unknown_key", f"the key “{visible(key)}” is not known here", remedy)


def _not_allowed(found: _Found) -> Flaw:
    return Flaw(found.at, "not_allowed", f"{_said(found.given)} is not allowed here", _wanted(found.schema))


def _bad_form(found: _Found) -> Flaw:
    return Flaw(found.at, "bad_form", f"{_said(found.given)} is not of the form needed", _wanted(found.schema))


_SAY: Mapping[str, Callable[[_Found], Flaw]] = MappingProxyType(
    {
        **dict.fromkeys(_TYPES, _wrong_type),
        **dict.fromkeys(_BOUNDS, _out_of_bounds),
        **dict.fromkeys(_LENGTHS, _bad_length),
        "missing": _missing,
        "union_tag_not_found": _without_tag,
        "union_tag_invalid": _wrong_tag,
        "extra_forbidden": _unknown_key,
        "literal_error": _not_allowed,
        "value_error": _not_allowed,
        "string_pattern_mismatch": _bad_form,
    }
)


def _wanted(schema: Schema) -> str:
    if "properties" in schema:
        return f"It is an object with the keys {', '.join(schema['properties'])}."
    choices = _choices(schema)
    return choices or (f"Write {schema['description']}." if "description" in schema else "")


def _choices(schema: Schema) -> str:
    if "const" in schema:
        return f"Use {schema['const']}."
    return f"Use one of {', '.join(schema['enum'])}." if "enum" in schema else ""


def _said(given: Any) -> str:  # noqa: ANN401
    """A value as an error message may quote it: short, and all of it visible."""
    if isinstance(given, dict | list):
        return "an object" if isinstance(given, dict) else "a list"
    if isinstance(given, str):
        return f"“{visible(given[:_QUOTED])}{'…' if len(given) > _QUOTED else ''}”"
    return json.dumps(given)


@cache
def _schema(model: type[BaseModel]) -> Schema:
    return model.model_json_schema(by_alias=True)


def _locate(loc: Path, model: type[BaseModel]) -> tuple[Path, Schema]:
    """Where pydantic's `loc` lies in the document, and the schema of what stands there.

    pydantic puts the tags of unions and a `[key]` into `loc` that the document does not hold; the schema tells
    where: its `[key]` follows a key of a mapping, and anywhere else a key was written so. The schema of a key that is
    not known is that of the object around it.
    """
    root = _schema(model)
    path: Path = ()
    schema = root
    of_mapping = False
    for part in loc:
        if part in schema.get("discriminator", {}).get("mapping", {}):
            schema = _resolved({"$ref": schema["discriminator"]["mapping"][part]}, root)
        elif part == "[key]" and of_mapping:
            schema = schema.get("propertyNames", {})
        else:
            of_mapping = isinstance(part, str) and "properties" not in schema
            path = (*path, visible(part) if isinstance(part, str) else part)
            schema = _resolved(_below(schema, part), root)
    return path, schema


def _below(schema: Schema, part: str | int) -> Schema:
    below: Schema | None = (
        schema["items"]
        if isinstance(part, int)
        else schema.get("properties", {}).get(part) or schema.get("additionalProperties")
    )
    return below or schema


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema behind references, and behind `or null`."""
    while True:
        if "$ref" in schema:
            schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            schema = next(choice for choice in schema["anyOf"] if choice.get("type") != "null")
        else:
            return schema
