"""`antedate show`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from app.cli.naming import Claim, service_of
from app.cli.options import AsJson, Key, Url
from app.cli.output import hypotheses_table, print_json, result_console, status
from app.cli.service import Service


def show(
    claim: Claim,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show one claim: what was predicted and what came out."""
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


def _facts(service: Service, claim: Mapping[str, Any]) -> list[tuple[str, str | Text]]:
    facts: list[tuple[str, str | Text]] = [("status", status(claim))]
    facts += [("void", f"{void['reason']}: {void['remedy']}") for void in claim["voids"]]
    facts += [(word, claim[word]) for word in ("filed", "opened", "judged", "withdrawn") if claim[word]]
    facts.append(("precedence", claim["precedence"]))
    if claim["code"]:
        facts.append(("measured by", claim["code"]["label"]))
    if claim["superseded_by"]:
        facts.append(("superseded by", claim["superseded_by"]))
    facts.append(("document", f"sha256:{claim['document_sha256']}"))
    facts.append(("page", f"{service.url}{claim['page']}"))
    return facts
