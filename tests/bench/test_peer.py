"""Patch grids against those of reward-lens 3.1, where it is installed: `pip install -e '.[peer]'`.

The peer makes one forward a patch and aligns index by index from the start: its pairs here are of one length each, and
our alignment is `start`. It has no grid of the last position; that one is made of its own captures, sites and patched
scoring, with a mount that replaces the last token alone.
"""

import time
from types import SimpleNamespace

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForSequenceClassification, PreTrainedTokenizerFast

from workers.models.families import anatomy_of
from workers.models.pair_runs import PatchPlan, Tally

pytest.importorskip("reward_lens", reason="reward-lens is not installed: pip install -e '.[peer]'")
# It is not written for warnings that are errors.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.usefixtures("one_thread")]

VOCABULARY = 1_000
PAD = "<pad>"
VERBATIM = "{{ messages[1]['content'] }}"


@pytest.fixture
def subject(full):
    """One Llama, as both sides take it: `anatomy` ours, `signal` the peer's."""
    from reward_lens.signals.loaders import wrap_hf_model

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=256,
        intermediate_size=1_024,
        num_hidden_layers=8 if full else 2,
        num_attention_heads=8,
        num_labels=1,
        pad_token_id=0,
        attn_implementation="eager",
    )
    model = LlamaForSequenceClassification(config).eval().requires_grad_(requires_grad=False)
    return SimpleNamespace(anatomy=anatomy_of(model), signal=wrap_hf_model(model, numerals()))


def numerals():
    """A tokenizer for which the text "17 4" is the tokens 17 and 4."""
    words = {PAD: 0} | {str(token): token for token in range(1, VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="3"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=PAD, chat_template=VERBATIM)


def written(pair):
    """The pair as the peer takes it."""
    return "", *(" ".join(map(str, text.ids)) for text in (pair.chosen, pair.rejected))


def of_all(signal, pairs, granularity):
    from reward_lens.measure.base import Context, run
    from reward_lens.measure.battery import PatchGrid

    found = run(PatchGrid(granularity), Context(signal=signal, view=[written(pair) for pair in pairs]))
    return found.value["per_pair_effect"]


def of_last(signal, pairs, granularity):
    from reward_lens.interventions.base import CompiledIntervention
    from reward_lens.interventions.patch import run_patched_scores
    from reward_lens.measure.battery._common import capture_sites, component_sites, head_sites

    layers, heads = signal.meta.n_layers, signal.meta.n_heads
    sites = head_sites(layers, heads) if granularity == "head" else component_sites(layers)[1:]
    found = []
    for prompt, *sides in map(written, pairs):
        chosen, rejected = ([(prompt, text)] for text in sides)
        clean, source = signal.score(chosen).value.values[0], capture_sites(signal, rejected, sites)
        patches = [CompiledIntervention(str(site), {site: last_token(site, source[site], heads)}) for site in sites]
        found.append([float(clean - run_patched_scores(signal, patch, chosen)[0]) for patch in patches])
    return found


def last_token(site, source, heads):
    def replace(hidden, _):
        changed = hidden.clone()
        whole = changed if site.head is None else changed.view(*changed.shape[:2], heads, -1)[:, :, site.head]
        whole[:, -1] = source
        return changed

    return replace


@pytest.mark.parametrize("positions", ["all", "last"])
@pytest.mark.parametrize("granularity", ["component", "head"])
def test_the_peers_grid(subject, granularity, positions, patching, side_by_side):
    pairs, plan = patching.pairs(), PatchPlan(granularity, "start", positions, ("noising",))
    theirs = {"all": of_all, "last": of_last}[positions]
    found = side_by_side(
        lambda: patching.grid(subject.anatomy, pairs, plan, Tally()),
        lambda: theirs(subject.signal, pairs, granularity),
        ("grid", "reward-lens"),
        time.process_time,
    )
    torch.testing.assert_close(torch.tensor(found.ours), torch.tensor(found.theirs), rtol=1e-4, atol=1e-4)
    assert torch.tensor(found.ours).abs().max() > 100 * 1e-4
