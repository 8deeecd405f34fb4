"""The gate that every checkpoint passes when it is loaded: what it measures is stored with the evidence.

It runs fewer than thirty forwards of short texts, however large the model: patches of itself are made for a few modules
that are spread evenly over the layers. A window is probed where a longer text is affordable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import torch
from torch import Tensor
from transformers import PreTrainedModel

from claims.dialogue import Message
from claims.pairs import Pair
from workers.models.anatomy import Anatomy
from workers.models.attribution import incompleteness, under_frozen_norm
from workers.models.forward import Trace
from workers.models.grid import patch_each
from workers.models.pair_runs import Tally, pair_runs
from workers.models.pairs import TokenPair, TokenText
from workers.models.patching import Patching, sites_of
from workers.models.probing import alone, module_outputs, own_scores, padded
from workers.models.readiness import refuse_unready
from workers.models.reading import HEADS, Edit, Reading, read, score
from workers.models.text import Writing
from workers.refusals import RefusalError

TOLERANCE = 1e-5  # in float32, of what is compared; a few roundings in anything shorter
ROUNDINGS = 8
COMPONENTS = 10  # times that, of a component's largest value: what rounding adds up to in thirty layers
MODULES = 8
WINDOW_TOKENS = 1_024  # the longest text that the window is probed with
BEYOND = 8  # tokens
BUDGET = 1 << 28  # bytes
PROBES = (
    (
        "How many legs does a spider have?",
        "Eight.",
        "A spider has six legs, like every other insect in the garden.",
    ),
    (
        "Write one line about the sea.",
        "The tide comes in, goes out, and keeps no promise that it made.",
        "sea sea sea",
    ),
)
Named = TypeVar("Named")


def conform(model: PreTrainedModel, anatomy: Anatomy, writing: Writing) -> dict[str, float]:
    """What each check measured. Raises `RefusalError` with the check that fails; NaN fails every one.

    `forward`: ours against the model's own, component by component and head by head, of its largest value, and
    `window` the same for a text longer than the shortest window. As shares of the contributions' magnitudes:
    `attribution`, by how much they miss the score; `score`, ours against that of the model's own forward, and
    `readout`, that one against what the model's own head says; `identical`, a text against itself in another place
    of a batch; `padding_right` and `padding_left`, against itself among longer ones; `self_patch` (in the score's
    own units) and `self_patch_fast`, components replaced by themselves, one forward each and as all are patched;
    `spread`, how far apart different texts score.
    """
    refuse_unready(model)
    device = anatomy.direction.device
    pairs = [_probe(writing, number) for number in range(len(PROBES))]
    texts = [torch.tensor([text.ids], device=device) for pair in pairs for text in (pair.chosen, pair.rejected)]
    with torch.no_grad():
        _refuse_other_outputs(anatomy, texts[0])
        readings, traces = [read(anatomy, ids) for ids in texts], _traces(anatomy, pairs)
        measured = {
            **_compared(model, anatomy, texts, readings, traces),
            **_patched_by_itself(anatomy, texts[0], readings[0], traces[0]),
            **_windowed(anatomy, pairs, writing.context),
        }
    return _passed(measured, _tolerance(anatomy))


def _tolerance(anatomy: Anatomy) -> float:
    dtype = anatomy.direction.dtype
    return TOLERANCE if dtype == torch.float32 else ROUNDINGS * torch.finfo(dtype).eps


def _passed(measured: dict[str, float], tolerance: float) -> dict[str, float]:
    limits = {"self_patch": 0.0, "forward": COMPONENTS * tolerance, "window": COMPONENTS * tolerance}
    for name, value in measured.items():
        limit = limits.get(name, tolerance)
        if name != "spread" and not value <= limit:
            raise failed(name, f"values differ by {value:.1e}, more than {limit:.0e}")
    if not measured["spread"] > max(TOLERANCE, measured["padding_right"], measured["padding_left"]):
        raise failed("spread", f"different texts score alike, {measured['spread']:.1e} apart")
    return measured


def failed(check: str, detail: str) -> RefusalError:
    return RefusalError(
        "conformance",
        f"The model does not pass the check {check!r}: {detail}.",
        "What would be measured could not be trusted: choose another checkpoint, or report the family that fails.",
    )


def _probe(writing: Writing, number: int) -> TokenPair:
    """The probe as the model's tokenizer writes it; with a system turn where its template takes none without."""
    prompt, chosen, rejected = PROBES[number]
    name = f"conformance-{number}"
    pair = Pair(name, "conformance", prompt, chosen, rejected, name, {})
    try:
        return writing.encode(pair)
    except RefusalError as refusal:
        if refusal.reason != "chat_template":
            raise
        turns = (Message(role="system", content="Answer briefly."), Message(role="user", content=prompt))
        try:
            return writing.encode(Pair(name, "conformance", turns, chosen, rejected, name, {}))
        except RefusalError:
            raise refusal from None


def _refuse_other_outputs(anatomy: Anatomy, ids: Tensor) -> None:
    """Every component must give a tensor (1, T, D), alone or first of a tuple, and attention's heads be as many."""
    shape = (*ids.shape, anatomy.direction.shape[0])
    for name, output in module_outputs(anatomy, ids).items():
        first = output[0] if isinstance(output, tuple) and output else output
        if not isinstance(first, Tensor) or first.shape != shape or not first.is_floating_point():
            found = tuple(first.shape) if isinstance(first, Tensor) else type(first).__name__
            raise failed("outputs", f"{name} gives {found} and not a tensor of {shape}")


def _traces(anatomy: Anatomy, pairs: Sequence[TokenPair]) -> list[Trace]:
    runs = [run for pair in pairs for run in pair_runs(anatomy, [pair], None, Tally())]
    return [traced for run in runs for traced in run.traces.values()]


def _compared(
    model: PreTrainedModel,
    anatomy: Anatomy,
    texts: Sequence[Tensor],
    readings: Sequence[Reading],
    traces: Sequence[Trace],
) -> dict[str, float]:
    terms = [under_frozen_norm(anatomy, traced) for traced in traces]
    scale = min(float(sum(term.abs() for term in of_text.values())) for of_text in terms) or 1.0
    scores = torch.cat([reading.scores for reading in readings])
    missing = [incompleteness(anatomy, *both) for both in zip(traces, terms, strict=True)]
    return {
        "spread": float(scores.max() - scores.min()) / scale,
        "identical": largest(alone(anatomy, texts[0].repeat(3, 1)), scores[0]) / scale,
        "padding_right": largest(padded(anatomy, texts, left=False), scores) / scale,
        "padding_left": largest(padded(anatomy, texts, left=True), scores) / scale,
        "readout": largest(own_scores(model, anatomy, texts), scores) / scale,
        "score": largest(torch.cat([traced.scores for traced in traces]), scores) / scale,
        "forward": worst([_apart(anatomy, *both) for both in zip(readings, traces, strict=True)]),
        "attribution": worst([float(share.max()) for share in missing]),
    }


def _apart(anatomy: Anatomy, reading: Reading, traced: Trace) -> float:
    """How far what was traced is from what the model's own forward gives, component by component, of its size."""
    own = reading.outputs
    ours = {
        **{name: value for name, value in traced.said().items() if name in own},
        **{f"{HEADS}{index}": traced.layers[index].heads for index in range(len(anatomy.blocks))},
    }
    return worst([_relative(value, own[name]) for name, value in ours.items()])


def _relative(value: Tensor, own: Tensor) -> float:
    """Positions that were traced are the last ones."""
    return largest(value, own[:, own.shape[1] - value.shape[1] :]) / (float(own.abs().max()) or 1.0)


def _patched_by_itself(anatomy: Anatomy, ids: Tensor, reading: Reading, traced: Trace) -> dict[str, float]:
    scale = float(sum(term.abs() for term in under_frozen_norm(anatomy, traced).values())) or 1.0
    one_at_a_time = [
        largest(score(anatomy, ids, {name: _replaced_by(reading.outputs[name])}), reading.scores)
        for name in _some(list(reading.outputs))
    ]
    index = torch.arange(traced.length, device=ids.device).unsqueeze(0)
    index = torch.where(index >= traced.layers[0].at[0], index, -1)
    patching = Patching(traced, traced, index, 0, torch.zeros_like(index))
    fast = [
        patch_each(anatomy, _some(sites_of(anatomy, granularity)), patching, BUDGET).scores
        for granularity in ("component", "head")
    ]
    return {
        "self_patch": worst(one_at_a_time),
        "self_patch_fast": worst([largest(scores, traced.scores) / scale for scores in fast]),
    }


def _replaced_by(own: Tensor) -> Edit:
    return lambda _: own.clone()


def _windowed(anatomy: Anatomy, pairs: Sequence[TokenPair], context: int) -> Mapping[str, float]:
    """Our forward of a text longer than the shortest window; nothing where there is none, or none so short."""
    windows = [window for window in anatomy.windows if window is not None]
    length = min(windows, default=0) + BEYOND
    if not windows or length > min(WINDOW_TOKENS, context):
        return {}
    first = pairs[0].chosen
    words = [token for pair in pairs for text in (pair.rejected, pair.chosen) for token in text.ids[text.response :]]
    long = (first.ids + tuple(words) * length)[:length]
    other = (*long[:-1], next(token for token in words if token != long[-1]))
    pair = TokenPair("window", "conformance", "window", *(TokenText(ids, first.response) for ids in (long, other)))
    readings = [read(anatomy, torch.tensor([ids], device=anatomy.direction.device)) for ids in (long, other)]
    apart = [_apart(anatomy, *both) for both in zip(readings, _traces(anatomy, [pair]), strict=True)]
    return {"window": worst(apart)}


def _some(things: Sequence[Named]) -> list[Named]:
    """Eight at most, in their order, the first and the last among them."""
    if len(things) <= MODULES:
        return list(things)
    return [things[round(number * (len(things) - 1) / (MODULES - 1))] for number in range(MODULES)]


def largest(first: Tensor, second: Tensor) -> float:
    """The largest difference; NaN where there is one."""
    return float((first - second).abs().max())


def worst(values: Sequence[float]) -> float:
    """The largest; NaN where there is one, which `max` would lose."""
    return float(torch.tensor(values, dtype=torch.float64).max())
