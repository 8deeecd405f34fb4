"""A reward model that needs no files: random, seeded, two layers, the same bit for bit wherever it is made."""

from __future__ import annotations

import hashlib
from math import sqrt

import numpy as np
import torch
from safetensors.torch import save
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from torch import Tensor
from transformers import (
    LlamaConfig,
    LlamaForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from claims.tiny import HEADS, LAYERS

BOS = "<s>"
CONTEXT = 2_048  # tokens, which are bytes and the BOS: the longest text of `diagnostic` has fewer than 300
HIDDEN, FEED_FORWARD, GROUPS = 32, 64, 2
# Root mean squares; of a matrix that maps, times 1/sqrt(inputs). Sublayers speak as loud as the embedding.
EMBEDDING, MAPPED, READOUT = 1.0, 2.0, 1.0
FRACTION_BITS = 24  # of a float32: every draw is exact


def grow(seed: int, attention: str) -> PreTrainedModel:
    """A Llama for sequence classification, query heads in groups of two, with random weights from the seed.

    Weights are uniform around 0: the upper 24 bits of numpy's PCG64 of the seed, parameter by parameter in order of
    name, less a half and scaled to their root mean square. Gains of norms stay 1. Both the bits and this arithmetic
    are exact, so the weights are the same on every machine.
    """
    config = LlamaConfig(
        vocab_size=1 + 256,
        hidden_size=HIDDEN,
        intermediate_size=FEED_FORWARD,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=GROUPS,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=None,
        pad_token_id=None,
        num_labels=1,
        attn_implementation=attention,
    )
    model = LlamaForSequenceClassification(config)
    bits = np.random.PCG64(seed)
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            if weight.dim() > 1:
                weight.copy_(_drawn(bits, weight.shape) * _spread(name, weight))
    model.eval().requires_grad_(requires_grad=False)
    return model


def tokenizer() -> PreTrainedTokenizerBase:
    """One token for each byte of UTF-8, after the BOS; there is neither a padding token nor a template."""
    vocabulary = {token: index for index, token in enumerate([BOS, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", pair=f"{BOS} $A $B", special_tokens=[(BOS, 0)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, bos_token=BOS)


def weights_sha256(model: PreTrainedModel) -> str:
    """The SHA-256 in hex of the `model.safetensors` that its parameters make, written by the safetensors library."""
    return hashlib.sha256(save({name: weight.contiguous() for name, weight in model.state_dict().items()})).hexdigest()


def _drawn(bits: np.random.PCG64, shape: torch.Size) -> Tensor:
    """Uniform on [-1/2, 1/2)."""
    drawn = bits.random_raw(shape.numel()) >> np.uint64(64 - FRACTION_BITS)
    return torch.from_numpy(drawn.astype(np.float32) * np.float32(2.0**-FRACTION_BITS) - np.float32(0.5)).view(shape)


def _spread(name: str, weight: Tensor) -> float:
    """The width of a uniform distribution whose root mean square is what this weight's is to be."""
    if "embed_tokens" in name:
        return EMBEDDING * sqrt(12)
    return (READOUT if name == "score.weight" else MAPPED) * sqrt(12 / weight.shape[1])
