"""Preference pairs: JSON lines in, every bad line named; one form out, whose hash no order of lines can change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from claims.canonical import canonical_bytes, sha256_hex
from claims.characters import flaws_of_line, flaws_of_text
from claims.dialogue import Message, flaws_of_dialogue
from claims.flaws import Flaw, RefusedInputError, pointer
from claims.preference_formats import Name, in_own_form, is_export
from claims.registration.model import Dimension
from claims.shape import flaws_of_shape, in_document_order
from claims.strict_json import decode, parse, settle

LISTED = 1000  # flaws after which reading stops, and says so
_NAMES = ("/id", "/dimension", "/cluster")


@dataclass(frozen=True)
class Pair:
    """One prompt with the response that was preferred and the one that was not.

    `cluster` names what the pair was cloned or varied from; a pair that names none is a cluster of its own.
    """

    id: str
    dimension: str
    prompt: str | tuple[Message, ...]
    chosen: str
    rejected: str
    cluster: str
    meta: Mapping[str, JsonValue]

    def canonical(self) -> bytes:
        prompt = self.prompt if isinstance(self.prompt, str) else [message.model_dump() for message in self.prompt]
        return canonical_bytes({**vars(self), "prompt": prompt})


@dataclass(frozen=True)
class Pairs:
    """A dataset: `rows` in the order of their canonical lines, those lines, and their SHA-256 in hex.

    `dimensions` counts the pairs of each; `clusters` is how many independent ones there are at most.
    """

    rows: tuple[Pair, ...]
    canonical: bytes
    sha256: str
    dimensions: dict[str, int]
    clusters: int


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: Name
    dimension: Dimension
    prompt: str
    chosen: str
    rejected: str
    cluster: Name | None = None
    meta: dict[str, JsonValue] = {}


class _DialogueLine(_Line):
    prompt: list[Message]  # type: ignore[assignment]  # the same key, in its other form


def read_pairs(body: bytes, dimension: str | None = None) -> Pairs:
    """The pairs of a JSONL file in UTF-8, each in Antedate's own form or as an export of `claims.preference_formats`.

    `dimension` is that of every line that names none.
    Raises `RefusedInputError` with every flaw of every line; pointers begin with the line's number, from 1.
    """
    pairs: dict[int, Pair] = {}
    flaws: list[Flaw] = []
    for number, line in _lines(body):
        found = _read(line, dimension)
        if isinstance(found, Pair):
            pairs[number] = found
            continue
        flaws += [_on_line(number, flaw) for flaw in found[: LISTED - len(flaws)]]
        if len(flaws) == LISTED:
            detail = f"reading stopped at line {number}: {LISTED:,} flaws were found by then"
            flaws.append(Flaw("", "too_many_flaws", detail, "Correct these, and send the file again."))
            break
    flaws += _repeated_ids(pairs)
    if not pairs and not flaws:
        flaws.append(Flaw("", "empty_file", "the file holds no pairs", "Send one JSON object a line."))
    if flaws:
        raise RefusedInputError(*sorted(flaws, key=_line_number))
    return _dataset(list(pairs.values()))


def _dataset(pairs: list[Pair]) -> Pairs:
    lines = sorted(((pair.canonical() + b"\n", pair) for pair in pairs), key=itemgetter(0))
    canonical = b"".join(line for line, _ in lines)
    rows = tuple(pair for _, pair in lines)
    dimensions = dict(sorted(Counter(pair.dimension for pair in rows).items()))
    return Pairs(rows, canonical, sha256_hex(canonical), dimensions, len({pair.cluster for pair in rows}))


def _lines(body: bytes) -> Iterator[tuple[int, bytes]]:
    lines = body.split(b"\n")
    if lines[-1] == b"":  # what follows the last line end is no line
        lines.pop()
    yield from enumerate(lines, start=1)


def _read(line: bytes, dimension: str | None) -> Pair | list[Flaw]:
    if not line.strip():
        return [Flaw("", "empty_line", "the line is empty", "Leave it out.")]
    try:
        value, flaws = settle(parse(decode(line)), _check_text)
    except RefusedInputError as error:
        return list(error.flaws)
    try:
        pair = _pair(_fitted(value, dimension))
    except RefusedInputError as error:
        told = {flaw.pointer for flaw in flaws}
        return in_document_order([*flaws, *(flaw for flaw in error.flaws if flaw.pointer not in told)], value)
    return [*flaws, *_flaws_of_pair(pair)] or pair


def _fitted(value: Any, dimension: str | None) -> _Line:  # noqa: ANN401 - any JSON value
    own = value
    if isinstance(value, dict):
        stated = {} if dimension is None else {"dimension": dimension}
        own = in_own_form(value, dimension) if is_export(value) else {**stated, **value}
    model = _DialogueLine if isinstance(own, dict) and isinstance(own.get("prompt"), list) else _Line
    try:
        return model.model_validate(own)
    except ValidationError as error:
        raise RefusedInputError(*flaws_of_shape(error, model)) from error


def _check_text(text: str, at: str, where: str) -> list[Flaw]:
    """Names are read by people, the rest by a model."""
    return flaws_of_line(text, at, where) if at in _NAMES else flaws_of_text(text, at, where)


def _pair(line: _Line) -> Pair:
    prompt: Any = line.prompt
    return Pair(
        id=line.id,
        dimension=line.dimension,
        prompt=prompt if isinstance(prompt, str) else tuple(prompt),
        chosen=line.chosen,
        rejected=line.rejected,
        cluster=line.cluster or line.id,
        meta=line.meta,
    )


def _flaws_of_pair(pair: Pair) -> list[Flaw]:
    flaws = [] if isinstance(pair.prompt, str) else flaws_of_dialogue(pair.prompt, "/prompt")
    for side in ("chosen", "rejected"):
        if not getattr(pair, side).strip():
            flaws.append(Flaw(pointer(side), "empty_response", f"{side} holds no text", "Leave the pair out."))
    if pair.chosen == pair.rejected:
        detail = "chosen and rejected are the same"
        flaws.append(Flaw("/rejected", "identical_pair", detail, "Leave the pair out: it prefers nothing."))
    return flaws


def _repeated_ids(pairs: Mapping[int, Pair]) -> Iterator[Flaw]:
    first: dict[str, int] = {}
    for number, pair in pairs.items():
        line = first.setdefault(pair.id, number)
        if line != number:
            same = pair == pairs[line]
            detail = f"line {number}: the id {pair.id} stands in line {line} already{', of the same pair' * same}"
            remedy = "Leave one of the two lines out." if same else "Give every pair an id of its own."
            yield Flaw(pointer(number, "id"), "duplicate_id", detail, remedy)


def _on_line(number: int, flaw: Flaw) -> Flaw:
    detail = flaw.detail.removeprefix("line 1, ")  # to the parser, every line is a text of its own
    return Flaw(pointer(number) + flaw.pointer, flaw.code, f"line {number}: {detail}", flaw.remedy)


def _line_number(flaw: Flaw) -> float:
    """Where in the file a flaw stands; what concerns the file comes last."""
    number = flaw.pointer[1:].partition("/")[0]
    return int(number) if number else float("inf")
