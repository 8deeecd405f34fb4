"""The list of claims: its filters as a form and as removable marks, and what to do where nothing matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args
from urllib.parse import urlencode

from app.ledger.bounds import FIGURES, MOMENTS
from app.ledger.filters import ClaimFilter
from app.pages.lines import ClaimLine
from claims.instruments import catalogue
from claims.lifecycle import CLAIM_STATUSES
from claims.precedence import PRECEDENCES
from claims.provenance import Dirty
from claims.trust import TRUSTS

SEVERAL = (
    "status", "model", "instrument", "metric", "registrant", "dataset", "dimension", "precedence", "trust", "dirty",
)  # fmt: skip
FLAGS = ("superseded", "contested", "refuted_or_superseded", "reproduced", "corrected", "overdue")
DIRTY = get_args(Dirty)
LABELS = {
    "q": "text",
    "registrant": "filed by",
    "dirty": "tree of the code",
    "estimate_min": "estimate at least",
    "estimate_max": "estimate at most",
    "lo_min": "lower bound at least",
    "hi_max": "upper bound at most",
}


@dataclass(frozen=True)
class ActiveFilter:
    label: str
    without: str


@dataclass(frozen=True)
class Choice:
    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class SelectField:
    name: str
    label: str
    options: Sequence[Choice]


@dataclass(frozen=True)
class TextField:
    name: str
    label: str
    value: str
    suggestions: Sequence[str]


@dataclass(frozen=True)
class Listing:
    title: str
    says: str
    text: str
    statuses: Sequence[Choice]
    choices: Sequence[SelectField]
    fields: Sequence[TextField]
    active: Sequence[ActiveFilter]
    lines: Sequence[ClaimLine]
    first: str | None
    next: str | None
    empty_says: str
    empty_remedy: str


def listing(chosen: ClaimFilter, lines: Sequence[ClaimLine], *, cursor: str | None, following: str | None) -> Listing:
    """The page of `lines` that `chosen` found after `cursor`; `following` is the cursor of the page after it."""
    pairs = asked(chosen)
    return Listing(
        title="Claims",
        says="Every prediction on this ledger, newest first, whatever became of it.",
        text=chosen.q or "",
        statuses=_choices(CLAIM_STATUSES, chosen.status),
        choices=_selects(chosen),
        fields=_texts(chosen),
        active=[ActiveFilter(_label(*pair), _address(_without(pairs, pair))) for pair in pairs],
        lines=lines,
        first=_address(pairs) if cursor else None,
        next=_address([*pairs, ("cursor", following)]) if following else None,
        empty_says="No claim matches." if pairs else "The ledger holds no claim yet.",
        empty_remedy=(
            "Remove one of the filters above, or clear them all."
            if pairs
            else "File one: antedate file prediction.yaml. The home page shows how."
        ),
    )


def asked(chosen: ClaimFilter) -> list[tuple[str, str]]:
    """The filter as the pairs of a query string, in a fixed order."""
    pairs = [("q", chosen.q)] if chosen.q else []
    pairs += [(name, word) for name in SEVERAL for word in getattr(chosen, name)]
    pairs += chosen.bounds.asked()
    return pairs + [(name, _flag(chosen, name)) for name in FLAGS if _flag(chosen, name)]


def address(chosen: ClaimFilter) -> str:
    """The list that the filter gives, from its beginning."""
    return _address(asked(chosen))


def _flag(chosen: ClaimFilter, name: str) -> str:
    return {None: "", True: "true", False: "false"}[getattr(chosen, name)]


def _selects(chosen: ClaimFilter) -> list[SelectField]:
    words: list[tuple[str, Iterable[str], Sequence[str]]] = [
        ("instrument", catalogue(), chosen.instrument),
        ("precedence", PRECEDENCES, chosen.precedence),
        ("trust", TRUSTS, chosen.trust),
        ("dirty", DIRTY, chosen.dirty),
    ]
    flags = [(name, ("true", "false"), tuple(filter(None, [_flag(chosen, name)]))) for name in FLAGS]
    return [
        _select(name, _spoken(LABELS.get(name, name)).capitalize(), values, asked_for)
        for name, values, asked_for in [*words, *flags]
    ]


def _select(name: str, label: str, values: Iterable[str], chosen: Sequence[str]) -> SelectField:
    """A choice of one; several chosen by hand in the address are kept as one option of their own."""
    known = list(values)
    if len(chosen) > 1 or any(value not in known for value in chosen):
        known.append(",".join(chosen))
        chosen = (known[-1],)
    return SelectField(name, label, [Choice("", "any", not chosen), *_choices(known, chosen)])


def _choices(values: Iterable[str], chosen: Sequence[str]) -> list[Choice]:
    said = {"true": "yes", "false": "no"}
    return [Choice(value, said.get(value, value.replace("_", " ")), value in chosen) for value in values]


def _texts(chosen: ClaimFilter) -> list[TextField]:
    bounds = dict(chosen.bounds.asked())
    return [
        _text("model", "Model", chosen.model),
        _text("metric", "Metric", chosen.metric, _metrics()),
        _text("registrant", "Filed by", chosen.registrant),
        _text("dataset", "Dataset", chosen.dataset),
        _text("dimension", "Dimension", chosen.dimension),
        *(
            _text(name, _spoken(LABELS.get(name, name)).capitalize(), [bounds[name]] if name in bounds else ())
            for name in (*MOMENTS, *FIGURES)
        ),
    ]


def _text(name: str, label: str, asked_for: Sequence[str], suggestions: Sequence[str] = ()) -> TextField:
    return TextField(name, label, ",".join(asked_for), suggestions)


def _metrics() -> list[str]:
    """What hypotheses may be about; a family, by dimension or component, cannot be asked for as one."""
    metrics = (metric for one in catalogue().values() for metric in one.MANIFEST.metrics)
    return sorted({metric.name for metric in metrics if not metric.diagnostic and "<" not in metric.name})


def _label(name: str, value: str) -> str:
    if name in FLAGS:
        return _spoken(name) if value == "true" else f"not {_spoken(name)}"
    shown = _spoken(value) if name in {"status", "precedence", "trust"} else value
    return f"{_spoken(LABELS.get(name, name))}: {shown}"


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _without(pairs: Sequence[tuple[str, str]], gone: tuple[str, str]) -> list[tuple[str, str]]:
    return [pair for pair in pairs if pair != gone]


def _address(pairs: Sequence[tuple[str, str]]) -> str:
    return "/claims" + (f"?{urlencode(pairs)}" if pairs else "")
