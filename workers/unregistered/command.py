"""`antedate measure`: run an instrument without a server, and record nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from claims.evidence import Evidence, Refusal
from claims.verdict.voids import VoidReason
from workers.evidence import refused
from workers.free_memory import InsufficientMemoryError
from workers.refusals import RefusalError
from workers.row_file import RowFiles
from workers.source import source_of
from workers.unregistered import output
from workers.unregistered.asking import Options, Question, question
from workers.unregistered.bar import Bar
from workers.unregistered.refusing import BadOptionsError
from workers.unregistered.running import run, shards_of

BAD_INPUT, REFUSED = 2, 5


def measure(
    *,
    instrument: Annotated[str, typer.Option(help="Its name, such as patch_grid.")],
    model: Annotated[
        str,
        typer.Option(help="A directory, tiny:SEED, organism:RECIPE or huggingface:OWNER/NAME@REVISION."),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where evidence.json and the rows are written.")],
    pairs: Annotated[
        str | None, typer.Option(metavar="FILE", help="Preference pairs, JSON lines, or `diagnostic`, those shipped.")
    ] = None,
    params: Annotated[str, typer.Option(metavar="JSON", help="The instrument's parameters.")] = "{}",
    dimension: Annotated[
        list[str] | None, typer.Option(help="Of the pairs, those of this dimension alone. May be repeated.")
    ] = None,
    readout: Annotated[
        int | None, typer.Option(help="Of a head with several outputs, the one that is the reward.")
    ] = None,
    recipe: Annotated[str | None, typer.Option(metavar="JSON", help="The organism's parameters.")] = None,
    size: Annotated[
        list[str] | None, typer.Option(metavar="NAME=N", help="How much is generated: organisms=8. May be repeated.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of every interval: 0.90, 0.95 or 0.99.")] = 0.95,
    interval: Annotated[str | None, typer.Option(help="Absent: the first that the instrument offers.")] = None,
    resamples: Annotated[int | None, typer.Option(help="For an interval that resamples.")] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="HEX", help="32 bytes from which every seed derives. Absent: drawn and told.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a measurement that is in DIR.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, and no result on standard output.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")
    ] = False,
) -> None:
    """Run an instrument without a server, and record nothing.

    Writes evidence.json, rows.jsonl, again.jsonl (the cells measured a second time) and unregistered.json (what was
    asked) to DIR, by the code that a worker runs. Ends with 5 when the instrument refuses; evidence.json then says why,
    and there are no rows.
    """
    options = Options(
        instrument,
        model,
        pairs,
        dimension or (),
        params,
        recipe,
        readout,
        size or (),
        confidence,
        interval,
        resamples,
        seed,
    )
    try:
        with output.prepared(out, force=force) as unfinished:
            asked = question(options)
            evidence = _measured(asked, unfinished, quiet=quiet)
            output.publish(unfinished, out)
    except BadOptionsError as error:
        typer.echo("\n  ".join(["antedate: nothing was measured.", *error.lines]), err=True)
        raise typer.Exit(BAD_INPUT) from error
    if evidence.refusal is not None:
        _echo_refusal(evidence.refusal)
    if as_json:
        told = {"out": str(out), "seed": asked.nonce.hex(), "evidence": _json(evidence)}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
    elif not quiet:
        _echo_results(evidence, asked, out)
    if evidence.refusal is not None:
        raise typer.Exit(REFUSED)


def _measured(asked: Question, unfinished: Path, *, quiet: bool) -> Evidence:
    """Measure into the directory; a refusal is evidence too, and leaves no rows."""
    shards = shards_of(asked)
    unit = "pairs" if asked.pairs else "rows"
    source = source_of(asked.registration.instrument.name)
    try:
        with (
            (unfinished / output.ROWS).open("w+b") as rows,
            (unfinished / output.AGAIN).open("w+b") as again,
            Bar(sum(s.rows for s in shards), unit, quiet=quiet) as bar,
        ):
            evidence = run(asked, shards, RowFiles.of(rows, again), bar.tell)
    except (RefusalError, InsufficientMemoryError) as refusal:
        for name in (output.ROWS, output.AGAIN):
            (unfinished / name).unlink()
        evidence = refused(asked.registration, _told(refusal), source)
    document = {"seed": asked.nonce.hex(), "document": asked.registration.document()}
    output.write_json(unfinished / output.QUESTION, document)
    output.write_json(unfinished / output.EVIDENCE, _json(evidence))
    return evidence


def _told(error: RefusalError | InsufficientMemoryError) -> Refusal:
    if isinstance(error, RefusalError):
        return Refusal(reason=error.reason, detail=error.detail, remedy=error.remedy)
    reason = VoidReason.INSUFFICIENT_MEMORY
    return Refusal(reason=reason.value, detail=f"{str(error).capitalize()}.", remedy=reason.remedy)


def _json(evidence: Evidence) -> dict[str, Any]:
    return evidence.model_dump(mode="json", by_alias=True)


def _echo_refusal(refusal: Refusal) -> None:
    typer.echo(f"antedate: refused, {refusal.reason}: {refusal.detail}\n{refusal.remedy}", err=True)


def _echo_results(evidence: Evidence, asked: Question, out: Path) -> None:
    for name, found in evidence.estimates.items():
        typer.echo(f"metric: {name} {found.value:.6g} [{found.lo:.6g}, {found.hi:.6g}]")
    for name, value in evidence.diagnostics.items():
        typer.echo(f"diagnostic: {name} {value:.6g}")
    for name, why in evidence.not_measured.items():
        typer.echo(f"not measured: {name}: {why}")
    typer.echo(f"seed: {asked.nonce.hex()}")
    typer.echo(f"evidence: {out / output.EVIDENCE}")
