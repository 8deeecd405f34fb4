"""`antedate show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from rich.text import Text

from app.cli.naming import Claim, service_of
from app.cli.options import AsJson, Key, Url
from app.cli.output import hypotheses_table, interval, print_json, result_console, status
from app.cli.service import Service
from app.cli.voids import void_line

NONE_YET = "No independent reproduction recorded."


def show(
    claim: Claim,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show one claim: what was predicted and what came out.

    And what was said since: every correction, reproduction and contradiction, and what it stood on that gave way.
    """
    with service_of(claim, url, key) as (service, name):
        found = service.get(f"/v1/claims/{name}")
        if as_json:
            print_json(found)
        else:
            print_claim(service, found)


def print_claim(service: Service, claim: Mapping[str, Any]) -> None:
    """The claim for people: the sentence, the frozen rules beside what came out, when, and by which code."""
    console = result_console()
    console.print(Text(claim["title"], style="bold"))
    console.print(Text(claim["statement"]))
    console.print()
    console.print(hypotheses_table(claim))
    console.print()
    for name, value in _facts(service, claim):
        console.print(Text(f"{name}: ").append(value))


def _facts(service: Service, claim: Mapping[str, Any]) -> Iterator[tuple[str, str | Text]]:
    yield "status", status(claim)
    yield from (("void", void_line(void)) for void in claim["voids"])
    yield from _corrected(claim)
    if claim["not_before"] and claim["status"] == "registered":
        yield "opens no earlier than", f"{claim['not_before']}; others may forecast it until then"
    yield from ((word, claim[word]) for word in ("filed", "opened", "judged", "withdrawn") if claim[word])
    yield "precedence", f"{claim['precedence']}: {claim['precedence_reason']}"
    yield "trust", claim["trust"]
    if claim["code"]:
        yield "measured by", claim["code"]["label"]
    yield "attempts", _attempts(claim)
    yield from _related(service, claim)
    yield "document", f"sha256:{claim['document_sha256']}"
    yield "bundle", f"{service.url}{claim['url']}/bundle.zip"
    yield "page", f"{service.url}{claim['page']}"


def _attempts(claim: Mapping[str, Any]) -> str:
    """Which attempt of how many it is, at its most often tried primary metric, and what all of them came to."""
    most = max((family for family in claim["attempts"] if family["primary"]), key=lambda family: family["of"])
    came_to = ", ".join(f"{count} {word}" for word, count in most["outcomes"].items() if count)
    again = f", and {most['reproductions']} measured again" if most["reproductions"] else ""
    which = "measures again attempt" if claim["reproduces"] else "attempt"
    return f"{which} {most['number']} of {most['of']} at {most['metric']}: {came_to}{again}"


def _corrected(claim: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each correction, the newest first, with what was found before it."""
    for before, since in reversed(list(pairwise(claim["judgements"]))):
        why = since["correction"]
        yield "corrected", f"{why['time']} by {why['actor']}, {before['status']} to {since['status']}: {why['cause']}"
        for old, new in zip(before["hypotheses"], since["hypotheses"], strict=True):
            yield f"  {old['id']}", f"{interval(old)} {old['outcome']}, now {interval(new)} {new['outcome']}"


def _related(service: Service, claim: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What other claims do to this one, each by its id."""
    if claim["superseded_by"]:
        yield "superseded by", claim["superseded_by"]
    if claim["contested"]:
        entries = service.get(f"{claim['url']}/history")["items"]
        marks = (entry for entry in entries if entry["type"] == "contested")
        yield from (("contested by", f"{mark['payload']['ancestor']}, which gave way") for mark in marks)
    for link in claim["links"]:
        if link["type"] == "contradicts":
            way = "contradicted by" if link["incoming"] else "contradicts"
            yield way, f"{link['claim']} ({link['actor']}): {link['reason']}"
    if claim["reproduces"]:
        yield "reproduces", claim["reproduces"]
    yield from _measured_again(claim)


def _measured_again(claim: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every comparison with a reproduction or rerun; and that nobody else measured it, where that is so."""
    if not claim["reproduced"]:
        yield "reproductions", NONE_YET
    for found in claim["reproductions"]:
        agrees = "agrees" if found["agrees"] else "disagrees"
        stale = "" if found["current"] else ", no longer current"
        yield found["kind"], f"{found['by']} ({found['registrant']}) {agrees}{stale}: {found['why']}"
