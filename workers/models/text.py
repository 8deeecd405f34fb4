"""Preference pairs as token ids, the way the model's tokenizer writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transformers import PreTrainedTokenizerBase

from claims.pairs import Pair
from workers.models.bounds import bounded, refuse_powers
from workers.models.pairs import TokenPair, TokenText, common_prefix
from workers.refusals import LEAVE_OUT, RefusalError

CHARACTERS_A_TOKEN = 1_000  # more than any tokenizer joins on average: a longer text need not be cut to know


@dataclass(frozen=True)
class Writing:
    """How texts become tokens: the tokenizer, the most tokens its model can take, and of how many it has embeddings.

    `vocabulary` is None where model and tokenizer are known to be made for each other.
    """

    tokenizer: PreTrainedTokenizerBase
    context: int
    vocabulary: int | None = None

    def encode(self, pair: Pair) -> TokenPair:
        """Raises `RefusalError` that names the pair: template, length, identical tokens, no token in common."""
        chosen, rejected = self._text(pair, "chosen"), self._text(pair, "rejected")
        if chosen.ids == rejected.ids:
            raise _refused("identical_pair", pair, "chosen and rejected are the same tokens to this model")
        if chosen.ids[0] != rejected.ids[0]:
            raise _refused("no_overlap", pair, "chosen and rejected do not share their first token")
        return TokenPair(pair.id, pair.dimension, pair.cluster, chosen, rejected)

    def _text(self, pair: Pair, side: str) -> TokenText:
        """A chat template brings its own special tokens; without one the tokenizer adds what it is made to add.

        Whatever the tokenizer's files say of cutting and padding, neither is done.
        """
        response: str = getattr(pair, side)
        if not response.strip():
            raise _refused("empty_response", pair, f"{side} holds no text")
        text = self._write(pair, response)
        if len(text) > CHARACTERS_A_TOKEN * self.context:
            detail = f"{side} is a text of {len(text):,} characters, and the model's context {self.context:,} tokens"
            raise _refused("text_too_long", pair, detail)
        written = self.tokenizer(
            text,
            add_special_tokens=self.tokenizer.chat_template is None,
            return_offsets_mapping=True,
            truncation=False,
            padding=False,
        )
        self._check(pair, side, written["input_ids"])
        # Where two responses part is where a response begins, whatever the template puts around it.
        first = common_prefix(self._write(pair, "0"), self._write(pair, "1"))
        last = text.index(response.strip(), first) + len(response.strip())
        of_response = (i for i, (begin, end) in enumerate(written["offset_mapping"]) if end > first and begin < last)
        begins = next(of_response, None)
        if begins is None:
            raise _refused("empty_response", pair, f"the tokenizer leaves nothing of {side}")
        return TokenText(tuple(written["input_ids"]), begins)

    def _check(self, pair: Pair, side: str, ids: Sequence[int]) -> None:
        if len(ids) > self.context:
            detail = f"{side} is a text of {len(ids):,} tokens, longer than the model's context of {self.context:,}"
            raise _refused("text_too_long", pair, detail)
        if self.vocabulary is not None and ids and max(ids) >= self.vocabulary:
            raise RefusalError(
                "other_tokenizer",
                f"Pair {pair.id!r}: {side} holds the token {max(ids)}, and the model embeds {self.vocabulary:,}.",
                "Restore the tokenizer that the model was trained with.",
            )

    def _write(self, pair: Pair, response: str) -> str:
        if self.tokenizer.chat_template is None:
            if not isinstance(pair.prompt, str):
                raise _refused("no_chat_template", pair, "the prompt is a dialogue and the tokenizer has no template")
            return f"{pair.prompt} {response}"
        turns = [("user", pair.prompt)] if isinstance(pair.prompt, str) else [(m.role, m.content) for m in pair.prompt]
        turns = [*turns, ("assistant", response)]
        text = self._rendered(pair, turns)
        at = 0
        for number, (role, said) in enumerate(turns, start=1):
            found = text.find(said.strip(), at)
            if found < 0:
                raise _refused("text_altered", pair, f"the chat template alters or drops turn {number}, of the {role}")
            at = found + len(said.strip())
        return text

    def _rendered(self, pair: Pair, turns: Sequence[tuple[str, str]]) -> str:
        messages = [{"role": role, "content": content} for role, content in turns]
        found = self.tokenizer.chat_template
        try:
            for template in found.values() if isinstance(found, dict) else [found]:
                refuse_powers(template)
            with bounded():
                return str(self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=False))
        except Exception as error:  # whatever a foreign program makes the library raise
            detail = f"the chat template does not take it: {str(error) or type(error).__name__}"
            raise _refused("chat_template", pair, detail) from error


def _refused(reason: str, pair: Pair, detail: str) -> RefusalError:
    return RefusalError(reason, f"Pair {pair.id!r}: {detail}.", LEAVE_OUT)
