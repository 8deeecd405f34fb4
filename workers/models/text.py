"""Preference pairs as token ids, the way the model's tokenizer writes them."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from claims.pairs import Pair
from workers.models.pairs import TokenPair, TokenText, common_prefix
from workers.refusals import RefusalError


@dataclass(frozen=True)
class Writing:
    """How texts become tokens: the tokenizer, and the most tokens its model can take."""

    tokenizer: PreTrainedTokenizerBase
    context: int

    def encode(self, pair: Pair) -> TokenPair:
        """Raises `RefusalError` that names the pair: template, length, identical tokens, no token in common."""
        chosen, rejected = self._text(pair, pair.chosen), self._text(pair, pair.rejected)
        if chosen.ids == rejected.ids:
            raise _refused("identical_pair", pair, "chosen and rejected are the same tokens to this model")
        if chosen.ids[0] != rejected.ids[0]:
            raise _refused("no_overlap", pair, "chosen and rejected do not share their first token")
        return TokenPair(pair.id, pair.dimension, pair.cluster, chosen, rejected)

    def _text(self, pair: Pair, response: str) -> TokenText:
        """A chat template brings its own special tokens; without one the tokenizer adds what it is made to add."""
        text = self._write(pair, response)
        written = self.tokenizer(
            text, add_special_tokens=self.tokenizer.chat_template is None, return_offsets_mapping=True
        )
        ids: list[int] = written["input_ids"]
        if len(ids) > self.context:
            detail = f"a text of {len(ids):,} tokens is longer than the model's context of {self.context:,}"
            raise _refused("text_too_long", pair, detail)
        # Where two responses part is where a response begins, whatever the template puts around it.
        first = common_prefix(self._write(pair, "0"), self._write(pair, "1"))
        begins = next((index for index, (_, end) in enumerate(written["offset_mapping"]) if end > first), len(ids) - 1)
        return TokenText(tuple(ids), begins)

    def _write(self, pair: Pair, response: str) -> str:
        if self.tokenizer.chat_template is None:
            if not isinstance(pair.prompt, str):
                raise _refused("no_chat_template", pair, "the prompt is a dialogue and the tokenizer has no template")
            return f"{pair.prompt} {response}"
        turns = [("user", pair.prompt)] if isinstance(pair.prompt, str) else [(m.role, m.content) for m in pair.prompt]
        messages = [{"role": role, "content": content} for role, content in [*turns, ("assistant", response)]]
        try:
            return str(self.tokenizer.apply_chat_template(messages, tokenize=False))
        except TemplateError as error:
            raise _refused("chat_template", pair, f"the chat template does not take it: {error}") from error


def _refused(reason: str, pair: Pair, detail: str) -> RefusalError:
    remedy = "Leave the pair out of the dataset, or choose another model."
    return RefusalError(reason, f"Pair {pair.id!r}: {detail}.", remedy)
