"""Where a reward model's sublayers write to the residual stream, family by family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn
from transformers import PreTrainedModel

from workers.refusals import RefusalError

# Backbone, layers, components, windows, norm.
Found = tuple[nn.Module, tuple[nn.Module, ...], dict[str, nn.Module], tuple[int | None, ...], nn.Module]


@dataclass(frozen=True)
class Sites:
    """The modules of one reward model that an instrument reads or patches.

    `components` are `attn_L0`, `mlp_L0`, `attn_L1`, … in the order in which they run; what each module returns (the
    first of a tuple) is added to the residual stream as it is. `layers[0]` takes the embedding as its input.
    `windows` holds each layer's attention window in tokens, None where the whole past is seen, as the layers hold
    it. `r = readout(norm(h))` for the residual stream h after the last layer.
    """

    backbone: nn.Module
    layers: tuple[nn.Module, ...]
    components: dict[str, nn.Module]
    windows: tuple[int | None, ...]
    norm: nn.Module
    readout: nn.Linear
    output: int

    @property
    def direction(self) -> Tensor:
        """w_r (D,), the readout's row for the output that is the reward."""
        return self.readout.weight[self.output]

    @property
    def bias(self) -> Tensor | None:
        return None if self.readout.bias is None else self.readout.bias[self.output]


def find_sites(model: PreTrainedModel, output: int = 0) -> Sites:
    """The sites of `model`, whose reward is the given output of its head.

    Raises `RefusalError` ("unsupported_model") for a family that is not of the list.
    """
    family = str(model.config.model_type)
    if family not in FAMILIES:
        raise RefusalError(
            "unsupported_model",
            f"The model is of the family {family!r}; component outputs are known for {', '.join(sorted(FAMILIES))}.",
            "Measure a checkpoint of one of these families.",
        )
    backbone, layers, components, windows, norm = FAMILIES[family](model)
    return Sites(backbone, layers, components, windows, norm, _readout(model), output)


def _components(layers: tuple[nn.Module, ...], attention: str, mlp: str) -> dict[str, nn.Module]:
    return {
        f"{kind}_L{index}": layer.get_submodule(path)
        for index, layer in enumerate(layers)
        for kind, path in (("attn", attention), ("mlp", mlp))
    }


def _llama_like(model: PreTrainedModel, attention: str = "self_attn", mlp: str = "mlp") -> Found:
    backbone = model.get_submodule("model")
    layers = tuple(backbone.get_submodule("layers").children())
    windows = tuple(getattr(layer.get_submodule("self_attn"), "sliding_window", None) for layer in layers)
    return backbone, layers, _components(layers, attention, mlp), windows, backbone.get_submodule("norm")


def _mistral(model: PreTrainedModel) -> Found:
    """Mistral's layers take their window from the configuration at each forward and hold none themselves."""
    backbone, layers, components, _, norm = _llama_like(model)
    return backbone, layers, components, (model.config.sliding_window,) * len(layers), norm


def _gemma2(model: PreTrainedModel) -> Found:
    """Gemma normalises a sublayer's output before adding it: the component is what is added."""
    return _llama_like(model, "post_attention_layernorm", "post_feedforward_layernorm")


def _gpt2(model: PreTrainedModel) -> Found:
    backbone = model.get_submodule("transformer")
    layers = tuple(backbone.get_submodule("h").children())
    windows = (None,) * len(layers)
    return backbone, layers, _components(layers, "attn", "mlp"), windows, backbone.get_submodule("ln_f")


def _readout(model: PreTrainedModel) -> nn.Linear:
    readout = model.get_submodule("score")
    if not isinstance(readout, nn.Linear):
        raise RefusalError(
            "no_linear_readout",
            f"The model's head is a {type(readout).__name__}, not a linear layer.",
            "Choose a reward model whose score is a linear readout of the last hidden state.",
        )
    return readout


FAMILIES: dict[str, Callable[[PreTrainedModel], Found]] = {
    "gemma2": _gemma2,
    "gpt2": _gpt2,
    "llama": _llama_like,
    "mistral": _mistral,
    "qwen2": _llama_like,
    "qwen3": _llama_like,
}
