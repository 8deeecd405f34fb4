"""The study's own command on a stack of its own, with a small random model where the trained one would be."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForSequenceClassification, PreTrainedTokenizerFast

from claims.diagnostic import DIMENSIONS
from examples.smollm2.model_root import DIRECTORY

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]
FORM = re.compile(
    r"pairs joined                \d+\n"
    r"components ranked both ways \d+\n"
    r"dimensions                  12\n\n"
    r"dimension              recomputed  recorded    interval                 top attribution  moves\n"
    r"(?P<dimensions>(?:\w+ +[+-]\d\.\d{6}   [+-]\d\.\d{6}   \[[+-]\d\.\d{6}, [+-]\d\.\d{6}\] +"
    r"(?:attn|mlp)_L\d +[\d.]+%\n)+)"
    r"\nmean of them           (?P<mean>[+-]\d\.\d{6})   (?P=mean)   \[.*\]\n"
    r"\nlargest disagreement with the record  0\.000000  \(tolerance 1e-06\)\n"
    r"within tolerance                      yes\n"
)


@pytest.fixture
def root(tmp_path):
    """A model root with a Llama of two layers that reads bytes."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {symbol: number for number, symbol in enumerate(["<|end|>", *alphabet])}
    tokens = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokens.decoder = decoders.ByteLevel()
    torch.manual_seed(11)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=8192,
        initializer_range=0.3,
        num_labels=1,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    LlamaForSequenceClassification(config).save_pretrained(tmp_path / DIRECTORY)
    PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token="<|end|>").save_pretrained(tmp_path / DIRECTORY)
    return tmp_path


@contextmanager
def studying(root, data):
    given = {"ANTEDATE_MODEL_ROOT": str(root), "ANTEDATE_DATA": str(data), "ANTEDATE_PORT": "8900"}
    with (root / "stderr").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "examples.smollm2.study"],
            cwd=ROOT,
            env=os.environ | given | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        process.stdout.close()


def printed(process, root):
    """All that it prints until it has no more to say and serves."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("within tolerance"):
            return "".join(lines)
    raise AssertionError("".join([*lines, (root / "stderr").read_text()]))


def test_the_study_files_measures_and_shows_its_claim_and_shows_it_again(root, data_path):
    with studying(root, data_path) as process:
        first = printed(process, root)
        table = FORM.search(first)
        assert table, first
        assert [line.split()[0] for line in table["dimensions"].splitlines()] == list(DIMENSIONS)
        assert re.search(r"^status: (confirmed|refuted|inconclusive)$", first, re.MULTILINE)
        assert re.search(r"^precedence: recorded: ", first, re.MULTILINE)
        page = re.search(r"^page: (http://\S+/claims/\w+)$", first, re.MULTILINE)
        # A second one finds the service that runs, and the claim that is on its ledger.
        with studying(root, data_path) as another:
            assert printed(another, root) == first
            assert another.wait(timeout=60) == 0
        assert page
    assert process.returncode == 0
