import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from claims.diagnostic import DIMENSIONS, diagnostic

ROOT = Path(__file__).parents[2]
SPY = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from examples.smollm2 import build
from examples.smollm2.preferences import HERE, read_folder, split
split(read_folder(HERE / "pairs").rows)
assert any("smollm2" in name and name.endswith(".jsonl") for name in opened)
print([name for name in opened if "diagnostic" in name], "claims.diagnostic" in sys.modules)
"""


def pairs():
    from examples.smollm2.preferences import HERE, read_folder

    return read_folder(HERE / "pairs").rows


def test_the_split_parts_each_dimension_alike_and_no_cluster():
    from examples.smollm2.preferences import split

    parts = split(pairs())
    assert Counter(pair.dimension for pair in parts.training) == dict.fromkeys(DIMENSIONS, 28)
    assert Counter(pair.dimension for pair in parts.held_out) == dict.fromkeys(DIMENSIONS, 12)
    assert not {pair.cluster for pair in parts.training} & {pair.cluster for pair in parts.held_out}
    assert not {pair.prompt for pair in parts.training} & {pair.prompt for pair in parts.held_out}


def test_the_split_does_not_depend_on_the_order_of_lines_or_on_other_dimensions():
    from examples.smollm2.preferences import split

    rows = list(pairs())
    whole = split(rows)
    random.Random(1).shuffle(rows)
    assert split(rows) == whole
    alone = split(pair for pair in rows if pair.dimension == "safety")
    assert {pair.id for pair in alone.held_out} == {pair.id for pair in whole.held_out if pair.dimension == "safety"}


def test_folds_leave_each_pair_out_once_with_every_dimension_in_each():
    from examples.smollm2.preferences import folds, split

    training = split(pairs()).training
    parts = folds(training, 5)
    assert Counter(pair.id for part in parts for pair in part.held_out) == Counter(pair.id for pair in training)
    for part in parts:
        assert set(Counter(pair.dimension for pair in part.held_out)) == set(DIMENSIONS)
        assert len(part.training) + len(part.held_out) == len(training)
        assert not {pair.cluster for pair in part.training} & {pair.cluster for pair in part.held_out}


def test_the_training_code_never_opens_the_diagnostic_set():
    found = subprocess.run([sys.executable, "-c", SPY], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[] False"


def test_no_training_module_speaks_of_the_diagnostic_set():
    from examples.smollm2.build import CODE, HERE

    for name in (*CODE, "build.py", "model_root.py", "progress.py"):
        assert "diagnostic" not in (HERE / name).read_text(), name


def test_no_training_text_is_one_of_the_diagnostic_set():
    measured = {text for pair in diagnostic().rows for text in (pair.prompt, pair.chosen, pair.rejected)}
    ours = {text for pair in pairs() for text in (pair.prompt, pair.chosen, pair.rejected)}
    assert not ours & measured
