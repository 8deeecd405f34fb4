"""A prompt of several turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from claims.flaws import Flaw, pointer


class Message(BaseModel):
    """One turn."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    role: Literal["system", "user", "assistant"]
    content: str


def flaws_of_dialogue(messages: Sequence[Message], at: str) -> list[Flaw]:
    """What keeps these turns from being a prompt: a system message may come first, then user and assistant by turns.

    The last turn is the user's, since what is scored is the answer to it.
    """
    turns = messages[1:] if messages and messages[0].role == "system" else messages
    offset = len(messages) - len(turns)
    for index, message in enumerate(turns):
        expected = "user" if index % 2 == 0 else "assistant"
        if message.role != expected:
            detail = f"turn {index + 1} after any system message is the {message.role}'s, not the {expected}'s"
            return [
                Flaw(at + pointer(offset + index, "role"), "bad_messages", detail, "Let user and assistant alternate.")
            ]
    if len(turns) % 2 == 0:
        return [Flaw(at, "bad_messages", "the last turn is not the user's", "End the prompt with what is answered.")]
    return []
