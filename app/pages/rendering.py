"""Templates to responses: the Jinja environment, and the headers that every page carries."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.pages import words
from app.pages.assets import asset_url
from app.pages.claim.facts import said
from claims.entries import format_time

TEMPLATES = Path(__file__).parent / "templates"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
NAVIGATION = (
    ("/claims", "Claims"),
    ("/refuted-and-superseded", "Refuted & superseded"),
    ("/instruments", "Instruments"),
    ("/datasets", "Datasets"),
    ("/imports", "Imported"),
    ("/log", "Log"),
)
# A link's type, and whether it comes in, to what it is from the side of the claim whose page this is.
LINK_WORDS = {
    ("supersedes", True): "superseded by",
    ("supersedes", False): "supersedes",
    ("builds_on", True): "built on by",
    ("builds_on", False): "builds on",
    ("reproduces", True): "measured again by",
    ("reproduces", False): "measures again",
    ("contradicts", True): "contradicted by",
    ("contradicts", False): "contradicts",
    ("corrects", True): "corrected by",
    ("corrects", False): "corrects",
}
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def page(request: Request, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """The rendered page. Every string that a template prints is escaped, its reordering controls written out."""
    body = environment().get_template(template).render(path=request.url.path, base_url=base_url(request), **values)
    return HTMLResponse(body, status_code=status, headers={**HEADERS, "Cache-Control": "no-cache"})


def base_url(request: Request) -> str:
    """Where the visitor reaches this service, without a slash at its end."""
    return str(request.base_url).rstrip("/")


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    shown = ("number", "measurement", "count", "percent", "utc", "duration", "memory")
    made.filters.update({name: getattr(words, name) for name in shown})
    made.globals.update(asset=asset_url, exactly=format_time, said=said, interval=words.interval)
    made.globals.update(counted=words.count, measurement=words.measurement)
    made.globals.update(navigation=NAVIGATION, link_words=LINK_WORDS)
    return made


def _shown(value: Any) -> Any:  # noqa: ANN401 - Jinja hands over whatever an expression gave
    if isinstance(value, str) and not isinstance(value, Markup):
        return words.visible(value)
    return value
