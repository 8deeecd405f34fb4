r"""A dialogue as one text, the way HH-RLHF writes it: `\n\nHuman: …\n\nAssistant: …`."""

from __future__ import annotations

import re
from typing import Literal

from claims.dialogue import Message
from claims.flaws import Flaw, RefusedInputError, pointer

# The label's blank belongs to the label; whatever else stands around the text of a turn is the text's own.
_LABEL = re.compile(r"(?:\A|\n\n)(Human|Assistant): ?")


def begins_transcript(text: str) -> bool:
    """Whether the text begins with a label, with or without the two line ends before it."""
    return _LABEL.match(text.removeprefix("\n\n")) is not None


def read_transcripts(chosen: str, rejected: str) -> tuple[list[Message], list[Message]]:
    """The turns of two transcripts; raises `RefusedInputError` where a text does not begin with a label."""
    remedy = "Write both dialogues out, each turn labelled Human or Assistant, or give `prompt` apart."
    flaws = [
        Flaw(pointer(side), "bad_transcript", f"{side} does not begin with a turn “Human: ” or “Assistant: ”", remedy)
        for side, text in (("chosen", chosen), ("rejected", rejected))
        if not begins_transcript(text)
    ]
    if flaws:
        raise RefusedInputError(*flaws)
    return _turns(chosen), _turns(rejected)


def _turns(transcript: str) -> list[Message]:
    _, *parts = _LABEL.split(transcript.removeprefix("\n\n"))
    return [Message(role=_role(label), content=text) for label, text in zip(parts[::2], parts[1::2], strict=True)]


def _role(label: str) -> Literal["user", "assistant"]:
    return "user" if label == "Human" else "assistant"
