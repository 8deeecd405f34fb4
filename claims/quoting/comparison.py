"""A quotation beside what is recorded: the number, and whether it is quoted as what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from claims.quoting.rounding import agrees, as_it_should_be, recorded_decimal
from claims.quoting.tags import Tag

# What a record quoted without status= must be: decided as predicted, and nothing has happened to it since. An import
# of a number that nobody predicted is `reported`.
_CONFIRMED = frozenset({"confirmed"})
_STANDING = {"claim": {_CONFIRMED}, "import": {_CONFIRMED, frozenset({"reported"})}}


@dataclass(frozen=True)
class Recorded:
    """What the ledger holds of a claim or an import.

    `statuses`: its status, with `superseded` and `contested` where they hold. `values`: of each metric, `estimate`,
    and `lo` and `hi` where it has an interval. `since`: what became of it, in words, such as which claim replaced it.
    `as_of`: where what is known of it ends, if it does.
    """

    statuses: frozenset[str]
    values: Mapping[str, Mapping[str, float]]
    since: str = ""
    as_of: str = ""


@dataclass(frozen=True)
class Finding:
    """Whether the quotation is right; what is recorded, and, where it is not, what is wrong with what to write."""

    recorded: str
    flaws: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        return not self.flaws


def compare(tag: Tag, recorded: Recorded | None) -> Finding:
    """The tag beside the record that it names; None where there is no such record."""
    if recorded is None:
        return Finding("nothing", (f"no {tag.kind} {tag.id} is recorded: correct the id",))
    flaws = [*_status_flaws(tag, recorded), *_number_flaws(tag, recorded)]
    return Finding(_in_words(tag, recorded), tuple(flaws))


def _status_flaws(tag: Tag, recorded: Recorded) -> list[str]:
    stands = recorded.statuses in _STANDING[tag.kind]
    if stands if tag.statuses is None else tag.statuses == recorded.statuses:
        return []
    words = status_words(recorded.statuses)
    said = "as standing" if tag.statuses is None else f"as {status_words(tag.statuses)}"
    wanted = "leave status= out" if stands else f"write status={words}, and say so in the text"
    since = f" ({recorded.since})" if recorded.since else ""
    return [f"it is quoted {said}, and it is {words}{since}: {wanted}"]


def _number_flaws(tag: Tag, recorded: Recorded) -> list[str]:
    if (value := _value(tag, recorded)) is None:
        return [_absent(tag, recorded)]
    exact = recorded_decimal(value, percent=tag.percent, negated=tag.negated)
    if agrees(tag.value, exact, tag.rule):
        return []
    right = as_it_should_be(tag.quoted, exact, tag.rule)
    return [f"{tag.quoted.text} is not {tag.field} {value!r} to {tag.rule}: write {right}"]


def _absent(tag: Tag, recorded: Recorded) -> str:
    if tag.metric in recorded.values:
        return f"{tag.metric} has no {tag.field}: no interval is recorded of it"
    if not recorded.values:
        return f"nothing is recorded of {tag.metric}: the {tag.kind} has no estimates"
    return f"the {tag.kind} has no metric {tag.metric}: it has {', '.join(sorted(recorded.values))}"


def _in_words(tag: Tag, recorded: Recorded) -> str:
    value = _value(tag, recorded)
    known = f"{tag.metric} {tag.field} {value!r}" if value is not None else f"no {tag.metric} {tag.field}"
    return ", ".join(filter(None, [known, status_words(recorded.statuses), recorded.as_of]))


def _value(tag: Tag, recorded: Recorded) -> float | None:
    return recorded.values.get(tag.metric, {}).get(tag.field)


def status_words(statuses: frozenset[str]) -> str:
    """The status first, then what has happened since, as status= takes them."""
    since = [word for word in ("superseded", "contested") if word in statuses]
    return ",".join([*sorted(statuses - {"superseded", "contested"}), *since])
