"""Preference pairs as data sets of Hugging Face hold them, put into Antedate's own form.

Three exports mean the same as a pair of ours: two dialogues as lists of messages that share all but the answer (TRL's
conversational preference, prompt explicit or implicit), two whole dialogues as one text each (HH-RLHF), and plain
texts without `id` and `dimension` (TRL's standard preference). What such a line holds beyond a pair goes to `meta`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError

from claims.canonical import canonical_bytes, sha256_hex
from claims.dialogue import Message
from claims.flaws import Flaw, RefusedInputError, pointer
from claims.registration.model import Dimension
from claims.shape import flaws_of_shape
from claims.shared_prompt import Answered, divide
from claims.strict_json import DEEPEST
from claims.transcript import begins_transcript, read_transcripts

SIDES = ("chosen", "rejected")
Line = Mapping[str, Any]
Name = Annotated[str, StringConstraints(pattern=r"\S", max_length=200), Field(description="up to 200 characters")]


class _Texts(BaseModel):
    """What a line of an export may hold of a pair; null stands for what a row of a table lacks."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: Name | None = None
    dimension: Dimension | None = None
    prompt: str | None = None
    chosen: str
    rejected: str
    cluster: Name | None = None
    meta: dict[str, JsonValue] | None = None


class _TextsAfterTurns(_Texts):
    prompt: list[Message]  # type: ignore[assignment]  # the same key, in its other form


class _Dialogues(_Texts):
    chosen: list[Message]  # type: ignore[assignment]  # likewise
    rejected: list[Message]  # type: ignore[assignment]  # likewise


class _DialoguesAfterTurns(_Dialogues):
    prompt: list[Message]  # type: ignore[assignment]  # likewise


def is_export(line: Line) -> bool:
    """Whether the line is one of the exports, rather than a pair in Antedate's own form, well or badly written."""
    sides = [line[side] for side in SIDES if side in line]
    if sides and all(isinstance(side, list) for side in sides):
        return True
    if not all(isinstance(side, str) for side in sides):
        return False
    if line.get("prompt") is None:
        return any(begins_transcript(side) for side in sides)
    return len(sides) == len(SIDES) and line.get("id") is None and line.get("dimension") is None


def in_own_form(line: Line, dimension: str | None) -> dict[str, Any]:
    """The pair in Antedate's own form; `dimension` is that of a line that names none, where the upload states one.

    A line without an id gets `hf-` and the first 16 hex digits of the SHA-256 of the pair's canonical JSON without id.
    Raises `RefusedInputError`, with pointers into the line as it came.
    """
    export = _fitted(line)
    columns = {key: value for key, value in line.items() if key not in _Texts.model_fields}
    meta, named = export.meta or {}, export.dimension or dimension
    flaws = [*_flaws_of_columns(columns, meta)]
    if named is None:
        flaws.append(_no_dimension())
    try:
        answered = _answered(export)
    except RefusedInputError as error:
        raise RefusedInputError(*flaws, *error.flaws) from error
    if flaws:
        raise RefusedInputError(*flaws)
    own = {"dimension": named, **answered.as_json(), "meta": {**meta, **columns}}
    if export.cluster is not None:
        own["cluster"] = export.cluster
    return {"id": export.id or f"hf-{sha256_hex(canonical_bytes(own))[:16]}", **own}


def _fitted(line: Line) -> _Texts:
    dialogues = any(isinstance(line.get(side), list) for side in SIDES)
    model: type[_Texts]
    if isinstance(line.get("prompt"), list):
        model = _DialoguesAfterTurns if dialogues else _TextsAfterTurns
    else:
        model = _Dialogues if dialogues else _Texts
    try:
        return model.model_validate({key: value for key, value in line.items() if key in _Texts.model_fields})
    except ValidationError as error:
        raise RefusedInputError(*flaws_of_shape(error, model)) from error


def _answered(export: _Texts) -> Answered:
    if isinstance(export, _Dialogues):
        return divide(export.chosen, export.rejected, export.prompt)
    texts = export.chosen, export.rejected
    if export.prompt is not None and not all(map(begins_transcript, texts)):
        return Answered(export.prompt, *texts)
    return divide(*read_transcripts(*texts), export.prompt, indexed=False)


def _no_dimension() -> Flaw:
    remedy = "State one for such lines with the upload (`dimension=`, `--dimension`), or give each line its own."
    return Flaw("", "no_dimension", "the line names no dimension, and neither does the upload", remedy)


def _flaws_of_columns(columns: Line, meta: Line) -> Iterator[Flaw]:
    for name, value in columns.items():
        if name in meta:
            detail = f"the column {name} has the name of a key of `meta`, where it would go"
            yield Flaw(pointer(name), "column_in_meta", detail, "Rename one of the two, or leave one out.")
        if _depth(value) + 2 > DEEPEST:  # the pair and its `meta` are around it
            detail = f"within `meta`, the column would be nested more than {DEEPEST} deep"
            yield Flaw(pointer(name), "too_deep", detail, "Make it flatter, or leave the column out.")


def _depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)
