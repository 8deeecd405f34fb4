"""How to cite a claim: one line for people, BibTeX for the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from app.pages import words

# BibTeX counts braces even when they are escaped, so they go by name.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "$&#%_"},
}


@dataclass(frozen=True)
class Citation:
    line: str
    bibtex: str


def citation(
    *, claim: str, title: str, registrant: str, filed: datetime, status: str, sha256: str, url: str
) -> Citation:
    """The claim as it stands at the time of reading: a later reader sees what its page says then."""
    line = (
        f"{registrant} ({filed.year}). {title}. Antedate claim {claim}, frozen {words.utc(filed)}, {status}. {url} "
        f"(sha256:{sha256})"
    )
    fields = {
        "author": f"{{{_escaped(registrant)}}}",
        "title": f"{{{_escaped(title)}}}",
        "year": str(filed.year),
        "howpublished": rf"\url{{{url}}}",
        "note": f"Antedate claim {claim}, frozen {words.utc(filed)}, {status}, sha256:{sha256}",
    }
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return Citation(line, f"@misc{{antedate-{claim},\n{body}\n}}")


def _escaped(text: str) -> str:
    return re.sub(r"[\\{}$&#%_~^]", lambda match: _SPECIAL[match[0]], text)
