"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Url = Annotated[
    str | None,
    typer.Option("--url", envvar="ANTEDATE_URL", help="Address of the service; absent: the one running here."),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        envvar="ANTEDATE_KEY",
        help="API key, ant_…; absent: that of the service running here. Prefer the variable: others see options.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
