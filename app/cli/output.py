"""What commands print: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Wide enough that nothing is cut or folded where no terminal says otherwise.
PIPED_WIDTH = 1000


def result_console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PIPED_WIDTH)


def progress_console() -> Console:
    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def line(name: str, value: str) -> None:
    """A result line `name: value`, unwrapped and uncoloured."""
    typer.echo(f"{name}: {value}")


def number(value: float) -> str:
    """Six significant digits, in the least space."""
    return f"{value:.6g}"


def interval(hypothesis: Mapping[str, Any]) -> str:
    """`<estimate> [<lo>, <hi>]`, or that there is none."""
    if hypothesis["estimate"] is None:
        return "not measured"
    lo, hi = number(hypothesis["lo"]), number(hypothesis["hi"])
    return f"{number(hypothesis['estimate'])} [{lo}, {hi}]"


def prediction(hypothesis: Mapping[str, Any]) -> str:
    """The frozen rule in a few signs: `recovery_gap > 0`."""
    predict = hypothesis["predict"]
    match predict["op"]:
        case "within" | "outside":
            rule = f"{predict['op']} [{number(predict['low'])}, {number(predict['high'])}]"
        case "equals":
            rule = f"= {number(predict['value'])} ± {number(predict['tolerance'])}"
        case op:
            rule = f"{op} {number(predict['value'])}"
    return f"{hypothesis['metric']} {rule}"


STYLES = {
    "confirmed": "green",
    "refuted": "red",
    "inconclusive": "yellow",
    "void": "magenta",
    "withdrawn": "dim",
}


def keys_table(keys: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("key", "registrant", "scopes", "issued", "revoked"):
        table.add_column(heading, overflow="fold")
    for key in keys:
        scopes = ", ".join(key["scopes"])
        table.add_row(f"{key['prefix']}…", key["registrant"], scopes, key["created"], key["revoked"] or "")
    return table


def status(claim: Mapping[str, Any]) -> Text:
    """The status as a word, with what has become of the claim since."""
    words = [claim["status"]]
    words += [word for word in ("superseded", "contested") if claim[word]]
    return Text(", ".join(words), STYLES.get(claim["status"], ""))


def hypotheses_table(claim: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("", "predicted", "measured", "outcome"):
        table.add_column(heading, overflow="fold")
    for hypothesis in claim["hypotheses"]:
        name = hypothesis["id"] + ("" if hypothesis["primary"] else " (secondary)")
        outcome = hypothesis["outcome"] or "open"
        why = f" ({hypothesis['void_reason']})" if hypothesis["void_reason"] else ""
        table.add_row(
            Text(name),
            Text(prediction(hypothesis)),
            Text(interval(hypothesis)),
            Text(outcome + why, STYLES.get(outcome, "")),
        )
    return table
