"""The study's result as text, in the form that the published bundle's expected output has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from claims.evidence import Estimate, Evidence
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.attribution_patching_agreement import PARAMS, estimate
from claims.instruments.grid import grids
from claims.instruments.params import completed
from claims.registration.model import Registration
from claims.seeds import Seeds

TOLERANCE = 1e-6
Rows = Sequence[Mapping[str, Any]]
WIDTHS = (23, 12, 12, 25, 17, 10)


def expected_output(rows: Rows, registration: Registration, seeds: Seeds, evidence: Evidence) -> str:
    """What the rows say, recomputed by this process, beside what the ledger recorded; `seeds` are the run's own."""
    recomputed = estimate(rows, registration, seeds)
    ranked = _ranked(rows, registration)
    names = sorted(ranked)
    mean = evidence.estimates.get("mean_rho")
    lines = [
        f"pairs joined                {evidence.counts['pairs']}",
        f"components ranked both ways {evidence.counts['components']}",
        f"dimensions                  {evidence.counts['dimensions']}",
        "",
        _line("dimension", "recomputed", "recorded", "interval", "top attribution", "moves"),
        *(_dimension(name, ranked[name], recomputed.estimates, evidence.estimates) for name in names),
        "",
        _line("mean of them", *_pair(recomputed.estimates.get("mean_rho"), mean), _interval(mean)),
        "",
        *_agreement(recomputed.estimates, evidence.estimates),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _ranked(rows: Rows, registration: Registration) -> dict[str, Ranked]:
    rank_by = completed(PARAMS, registration.instrument.params)["rank_by"]
    return {name: Ranked(grid, rank_by) for name, grid in grids(rows, by="dimension").items()}


def _dimension(name: str, ranked: Ranked, recomputed: Mapping[str, Estimate], recorded: Mapping[str, Estimate]) -> str:
    rho = recorded.get(f"rho.{name}")
    moves = recorded.get(f"top_attribution_moves.{name}")
    share = f"{moves.value:9.4%}" if moves else "-"
    top = ranked.top_attribution(ranked.everything()) or "-"
    return _line(name, *_pair(recomputed.get(f"rho.{name}"), rho), _interval(rho), top, share)


def _pair(recomputed: Estimate | None, recorded: Estimate | None) -> tuple[str, str]:
    first, second = (f"{one.value:+.6f}" if one else "-" for one in (recomputed, recorded))
    return first, second


def _interval(one: Estimate | None) -> str:
    return f"[{one.lo:+.6f}, {one.hi:+.6f}]" if one else "-"


def _line(*cells: str) -> str:
    return "".join(f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS, strict=False))


def _agreement(recomputed: Mapping[str, Estimate], recorded: Mapping[str, Estimate]) -> Iterator[str]:
    far = max(_distances(recomputed, recorded), default=0.0)
    same = recomputed.keys() == recorded.keys() and far <= TOLERANCE
    yield f"largest disagreement with the record  {far:.6f}  (tolerance {TOLERANCE:g})"
    yield f"within tolerance                      {'yes' if same else 'no'}"


def _distances(recomputed: Mapping[str, Estimate], recorded: Mapping[str, Estimate]) -> Iterator[float]:
    for name in recomputed.keys() & recorded.keys():
        for part in ("value", "lo", "hi"):
            yield abs(getattr(recomputed[name], part) - getattr(recorded[name], part))
