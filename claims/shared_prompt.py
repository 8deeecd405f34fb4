"""Two whole dialogues that differ in their last turn: the prompt that they share, and the two answers to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from claims.dialogue import Message, flaws_of_dialogue
from claims.flaws import Flaw, RefusedInputError, pointer

Prompt = str | Sequence[Message]


@dataclass(frozen=True)
class Answered:
    """A prompt, text or turns, with two answers."""

    prompt: Prompt
    chosen: str
    rejected: str

    def as_json(self) -> dict[str, Any]:
        prompt = self.prompt if isinstance(self.prompt, str) else [message.model_dump() for message in self.prompt]
        return {"prompt": prompt, "chosen": self.chosen, "rejected": self.rejected}


def divide(
    chosen: Sequence[Message], rejected: Sequence[Message], prompt: Prompt | None, *, indexed: bool = True
) -> Answered:
    """The prompt is what stands before the answers; one that is given apart as well must be the same.

    Where the answers stand alone, the prompt is the one given. Raises `RefusedInputError`, whose pointers are to the
    turn where the dialogues are `indexed`, as lists are, and to the whole of /chosen or /rejected where they are not.
    """
    flaws = list(_flaws(chosen, rejected, prompt))
    if flaws:
        places = [flaw.pointer if indexed else "/".join(flaw.pointer.split("/")[:2]) for flaw in flaws]
        told = zip(flaws, places, strict=True)
        raise RefusedInputError(*(Flaw(place, flaw.code, flaw.detail, flaw.remedy) for flaw, place in told))
    shared = chosen[:-1] or prompt
    if shared is None:
        raise RefusedInputError(_no_prompt())
    return Answered(shared, chosen[-1].content, rejected[-1].content)


def _flaws(chosen: Sequence[Message], rejected: Sequence[Message], prompt: Prompt | None) -> Iterator[Flaw]:
    unanswered = [*_unanswered(chosen, "chosen"), *_unanswered(rejected, "rejected")]
    if unanswered:
        yield from unanswered
        return
    pairs = zip_longest(chosen[:-1], rejected[:-1])
    differing = next((index for index, (ours, theirs) in enumerate(pairs) if ours != theirs), None)
    if differing is not None:
        at = pointer("rejected", min(differing, len(rejected) - 1))
        detail = f"turn {differing + 1} of rejected is not that of chosen: the two answer different dialogues"
        yield Flaw(at, "dialogues_differ", detail, "Leave the pair out, or end both dialogues at that turn.")
        return
    shared = chosen[:-1]
    if shared:
        yield from flaws_of_dialogue(shared, "/chosen")
        if prompt is not None and not _same(prompt, shared):
            detail = "the prompt is not the turns that stand before the answers"
            yield Flaw("/prompt", "prompt_differs", detail, "Leave `prompt` out, since the dialogues hold theirs.")


def _unanswered(turns: Sequence[Message], side: str) -> Iterator[Flaw]:
    if not turns:
        yield Flaw(pointer(side), "no_answer", f"{side} holds no turn", "Leave the pair out.")
    elif turns[-1].role != "assistant":
        detail = f"{side} ends with a turn of the {turns[-1].role}, not with an answer of the assistant"
        at = pointer(side, len(turns) - 1, "role")
        yield Flaw(at, "no_answer", detail, "Leave the pair out, or end both dialogues with the answers to compare.")


def _same(prompt: Prompt, shared: Sequence[Message]) -> bool:
    """A prompt of one text is the same as one turn of the user with that text, after any system message."""
    if not isinstance(prompt, str):
        return list(prompt) == list(shared)
    turns = shared[1:] if shared[0].role == "system" else shared
    return [(turn.role, turn.content) for turn in turns] == [("user", prompt)]


def _no_prompt() -> Flaw:
    remedy = "Add the `prompt` that they answer, or the turns before them."
    return Flaw("", "missing_key", "the dialogues hold an answer each, and there is no prompt", remedy)
