"""One file per model family, named as configurations name it, with what is its own: a new family is a file here."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from torch import nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy
from workers.refusals import RefusalError


def families() -> list[str]:
    """The families there are, as a configuration's `model_type`."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))


def anatomy_of(model: PreTrainedModel, output: int = 0) -> Anatomy:
    """The anatomy of `model`, whose reward is the given output of its head.

    Raises `RefusalError`: "unsupported_model" for a family without a file here or a variant that its file does not
    reproduce, "no_linear_readout" for a head that is not one linear layer.
    """
    family = str(model.config.model_type)
    if family not in families():
        raise RefusalError(
            "unsupported_model",
            f"The model is of the family {family!r}; component outputs are known for {', '.join(families())}.",
            "Measure a checkpoint of one of these families.",
        )
    found: Anatomy = import_module(f"{__name__}.{family}").anatomy(model, _readout(model), output)
    return found


def _readout(model: PreTrainedModel) -> nn.Linear:
    readout = getattr(model, "score", None)
    if not isinstance(readout, nn.Linear):
        raise RefusalError(
            "no_linear_readout",
            f"The model's head is a {type(readout).__name__}, not a linear layer.",
            "Choose a reward model whose score is a linear readout of the last hidden state.",
        )
    return readout
