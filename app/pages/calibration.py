"""What stated probabilities came to, for people: a diagram with its table, the scores, and what stands apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.ledger.calibration import Calibrated
from app.ledger.cursors import Page
from app.ledger.track_records import TrackRecord
from app.pages import words
from app.pages.charts.reliability import Reliability, reliability
from app.pages.charts.theme import Picture
from app.pages.claim.facts import Fact
from claims.calibration import Bin, Calibration, Share


@dataclass(frozen=True)
class BinRow:
    stated: str
    mean: str
    n: int
    confirmed: int
    share: str
    interval: str


@dataclass(frozen=True)
class Account:
    """Probabilities held to outcomes. `drawn` is None where nothing is decided."""

    decided: int
    scores: Sequence[Fact]
    bins: Sequence[BinRow]
    drawn: Picture | None


@dataclass(frozen=True)
class ForecasterRow:
    """One forecaster's forecasts: how many were sealed, told and hidden, and how those told came out."""

    name: str
    sealed: int
    told: int
    hidden: int
    came_true: str
    brier: str


@dataclass(frozen=True)
class Forecasting:
    """Others' forecasts held to outcomes: in `facts`, how many were told and how those scored.

    `rows` are by forecaster, `next` is where they go on.
    """

    account: Account
    facts: Sequence[Fact]
    rows: Sequence[ForecasterRow]
    next: str | None


@dataclass(frozen=True)
class CalibrationPage:
    """`apart` are counts that no probability is held to.

    `post_hoc` is None where there are no such claims, `forecast` where nobody has sealed a forecast.
    """

    title: str
    registrant: str | None
    stated: Account
    post_hoc: Account | None
    forecast: Forecasting | None
    apart: Sequence[Fact]


def calibration_page(
    found: Calibrated, made: TrackRecord, by: Page[tuple[str, TrackRecord]], registrant: str | None
) -> CalibrationPage:
    """`made` are the forecasts of this registrant, or everybody's, which `by` then has by forecaster."""
    return CalibrationPage(
        title="Calibration" if registrant is None else f"Calibration of {registrant}",
        registrant=registrant,
        stated=account(found.stated),
        post_hoc=account(found.post_hoc) if _all(found.post_hoc) else None,
        forecast=_forecasting(made, by) if made.sealed else None,
        apart=_apart(found),
    )


def account(found: Calibration, what: str = "claims") -> Account:
    """`what` has come true or not: claims, or forecasts of them."""
    held = [one for one in found.bins if one.of.n]
    return Account(
        decided=found.decided.n,
        scores=_scores(found),
        bins=[_row(one) for one in held],
        drawn=reliability(list(map(_mark, held)), _alternative(held, what)) if held else None,
    )


def _forecasting(made: TrackRecord, by: Page[tuple[str, TrackRecord]]) -> Forecasting:
    rows = [_forecaster(name, record) for name, record in by.items]
    told = account(made.calibration, "forecasts")
    return Forecasting(told, [*_told_of(made), *told.scores], rows, by.next)


def _told_of(made: TrackRecord) -> list[Fact]:
    open_ = f"{words.count(made.waiting)} of claims not judged yet, {words.count(made.withdrawn)} of withdrawn ones"
    known = f"{words.count(made.post_hoc)} of them post hoc, in no score" if made.post_hoc else ""
    return [
        Fact("Told", f"{words.count(made.revealed)} of {words.count(made.sealed)} sealed", note=known),
        Fact("Hidden", words.count(made.hidden), note="of judged claims, never told: nobody knows what they said"),
        Fact("Sealed still", words.count(made.waiting + made.withdrawn), note=open_),
    ]


def _forecaster(name: str, made: TrackRecord) -> ForecasterRow:
    of = made.calibration.decided
    brier = words.NOTHING if made.calibration.brier is None else words.number(made.calibration.brier)
    came_true = f"{words.count(of.confirmed)} of {words.count(of.n)}" if of.n else words.NOTHING
    return ForecasterRow(name, made.sealed, made.revealed, made.hidden, came_true, brier)


def _scores(found: Calibration) -> list[Fact]:
    scores = [Fact("Decided", _share(found.decided), note="confirmed, with the 95 % Wilson interval of the share")]
    if found.brier is not None and found.reference is not None:
        better = "better" if found.brier < found.reference else "no better"
        said = f"always saying {_shown(found.decided.share)}, their base rate, scores {words.number(found.reference)}"
        scores.append(Fact("Brier score", words.number(found.brier), note=f"0 is best; {better} than the reference"))
        scores.append(Fact("Reference", words.number(found.reference), note=said))
    return [*scores, Fact("Not decided", _waiting(found.void, found.withdrawn, found.undecided))]


def _apart(found: Calibrated) -> list[Fact]:
    none = found.unstated
    return [
        Fact("State none", _share(none.decided), note=_waiting(none.void, none.withdrawn, none.undecided)),
        Fact("Amended", words.count(found.amended), note="before data was known; what the amendment says counts"),
        Fact("Reproductions", words.count(found.reproductions), note="they repeat a document, with its probability"),
    ]


def _waiting(void: int, withdrawn: int, undecided: int) -> str:
    return f"{words.count(void)} void, {words.count(withdrawn)} withdrawn, {words.count(undecided)} undecided"


def _row(one: Bin) -> BinRow:
    closed = "]" if one.high == 1 else ")"
    return BinRow(
        stated=f"[{words.figure(one.low)}, {words.figure(one.high)}{closed}",
        mean=_shown(one.stated),
        n=one.of.n,
        confirmed=one.of.confirmed,
        share=_shown(one.of.share),
        interval=_interval(one.of),
    )


def _mark(one: Bin) -> Reliability:
    assert one.stated is not None, "a bin that holds claims has their mean"
    assert one.of.share is not None, "and their share"
    assert one.of.lo is not None, "with its interval"
    assert one.of.hi is not None, "on both sides"
    return Reliability(one.stated, one.of.share, one.of.lo, one.of.hi, _told(one))


def _alternative(held: Sequence[Bin], what: str) -> str:
    return f"Share of {what} confirmed by stated probability: {'; '.join(map(_told, held))}."


def _told(one: Bin) -> str:
    return f"{_shown(one.stated)} stated, {one.of.confirmed} of {one.of.n} confirmed"


def _share(found: Share) -> str:
    if not found.n:
        return "none"
    count = f"{words.count(found.confirmed)} of {words.count(found.n)}"
    return f"{count}, {_shown(found.share)} {_interval(found)}"


def _interval(found: Share) -> str:
    return "" if found.lo is None or found.hi is None else words.interval(found.lo, found.hi, decimals=2)


def _shown(share: float | None) -> str:
    return words.NOTHING if share is None else words.number(share, decimals=2)


def _all(found: Calibration) -> int:
    return found.decided.n + found.void + found.withdrawn + found.undecided
