"""The gate that every checkpoint passes when it is loaded: what it measures is stored with the evidence."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad
from transformers import PreTrainedModel

from claims.pairs import Pair
from workers.models.anatomy import Anatomy
from workers.models.attribution import contributions
from workers.models.forward import Trace
from workers.models.pair_runs import Tally, pair_runs
from workers.models.reading import Edit, Reading, read, score
from workers.models.text import Writing
from workers.refusals import RefusalError

TOLERANCE = 1e-5
PROBE = Pair(
    id="conformance",
    dimension="conformance",
    prompt="How many legs does a spider have?",
    chosen="Eight.",
    rejected="A spider has six legs, like every other insect in the garden.",
    cluster="conformance",
    meta={},
)


def conform(model: PreTrainedModel, anatomy: Anatomy, writing: Writing) -> dict[str, float]:
    """What each check measured, as a share of the contributions' magnitudes. Raises `RefusalError`.

    `padding`: the score alone against the score in a padded batch; `readout`: against the model's own; `self_patch`:
    a component replaced by itself, one at a time; `spread`: how far apart two different texts score. That the
    contributions add up to the score is checked on every text, these included.
    """
    if model.training or any(weight.is_meta for weight in model.parameters()):
        raise _failed("loading", "the model is in training mode, or some of its weights are not there")
    pair = writing.encode(PROBE)
    texts = [torch.tensor([text.ids]) for text in (pair.chosen, pair.rejected)]
    readings = [read(anatomy, ids) for ids in texts]
    (run,) = pair_runs(anatomy, [pair], None, Tally())
    scale = min(_scale(anatomy, trace) for trace in run.traces.values())
    scores = torch.cat([reading.scores for reading in readings])
    if scores[0] == scores[1]:
        raise _failed("spread", "two different texts have the same score")
    measured = {
        "padding": _largest(_padded_scores(anatomy, texts), scores) / scale,
        "forward": max(_apart(*both) for both in zip(readings, run.traces.values(), strict=True)),
        "readout": _largest(_own_scores(model, anatomy, texts), scores) / scale,
        "self_patch": max(_self_patch(anatomy, *text) for text in zip(texts, readings, strict=True)),
        "spread": float((scores[0] - scores[1]).abs()) / scale,
    }
    for name in ("padding", "readout", "forward"):
        if measured[name] > TOLERANCE:
            raise _failed(name, f"values differ by {measured[name]:.1e}, more than {TOLERANCE:.0e}")
    if measured["self_patch"] > 0:
        raise _failed("self_patch", f"a component replaced by itself moves the score by {measured['self_patch']:.1e}")
    return measured


def _scale(anatomy: Anatomy, trace: Trace) -> float:
    return float(sum(term.abs() for term in contributions(anatomy, trace).values()))


def _apart(reading: Reading, trace: Trace) -> float:
    """How far what was traced is from what the model's own forward gives, component by component, of its size."""
    pairs = [(value, reading.outputs[name]) for name, value in trace.said().items() if name in reading.outputs]
    return max(_largest(value, own[:, -value.shape[1] :]) / float(own.abs().max()) for value, own in pairs)


def _padded_scores(anatomy: Anatomy, texts: list[Tensor]) -> Tensor:
    """Padded on the right, whatever the padding token, and read at each text's own last token."""
    longest = max(ids.shape[1] for ids in texts)
    ids = torch.cat([pad(ids, (0, longest - ids.shape[1])) for ids in texts])
    mask = torch.cat([pad(torch.ones_like(ids), (0, longest - ids.shape[1])) for ids in texts])
    with torch.no_grad():
        hidden = anatomy.backbone(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        return anatomy.read_out(hidden[torch.arange(len(texts)), mask.sum(1) - 1])


def _own_scores(model: PreTrainedModel, anatomy: Anatomy, texts: list[Tensor]) -> Tensor:
    with torch.no_grad():
        return torch.cat([model(input_ids=ids, use_cache=False).logits[:, anatomy.output] for ids in texts])


def _self_patch(anatomy: Anatomy, ids: Tensor, reading: Reading) -> float:
    patched = [score(anatomy, ids, {name: _replaced_by(own)}) for name, own in reading.outputs.items()]
    return _largest(torch.cat(patched), reading.scores)


def _replaced_by(own: Tensor) -> Edit:
    return lambda _: own.clone()


def _largest(first: Tensor, second: Tensor) -> float:
    return float((first - second).abs().max())


def _failed(check: str, detail: str) -> RefusalError:
    return RefusalError(
        "conformance",
        f"The model does not pass the check {check!r}: {detail}.",
        "What would be measured could not be trusted: choose another checkpoint, or report the family that fails.",
    )
