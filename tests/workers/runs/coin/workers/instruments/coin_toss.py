import os
import random
import signal
import time
from pathlib import Path

from workers.refusals import RefusalError
from workers.resources import Measured


def measure(shard, registration, seeds, resources, progress):
    params = registration.instrument.params
    rows = toss(shard, params, seeds, progress)
    if "noise" not in params:
        return Measured(rows, lambda: facts(shard))
    landed = []
    return Measured(noted(rows, landed), lambda: facts(shard), again(landed, params["noise"]))


def noted(rows, landed):
    for row in rows:
        landed.append(row)
        yield row


def again(landed, noise):
    """Each coin, looked at again through a glass that makes `noise` more of its heads."""
    for row in landed:
        if row["kind"] == "organism":
            yield row | {"heads": row["heads"] + noise}


def toss(shard, params, seeds, progress):
    """The coin's one row, and before the first coin's as many rows of single tosses as `tosses` says.

    Each coin's share is a thousandth of it less than the one's before: one claim of four coins in a hundred would
    otherwise find them all alike, and be void.
    """
    coin = shard.params["coin"]
    draw = random.Random(seeds(f"coin/{coin}/toss"))
    heads = 0
    for done in range(shard.rows):
        heads += draw.random() < 0.7
        time.sleep(params.get("seconds", 0) / shard.rows)
        progress(done + 1)
        wait_at_the_gate(coin, done, progress)
        trouble(params.get("trouble"))
    share = float("nan") if params.get("trouble") == "not_a_number" else heads / shard.rows * (1 - coin / 1000)
    for number in range(params.get("tosses", 0) if coin == 0 else 0):
        yield {"kind": "toss", "organism": coin, "toss": number, "landed": draw.random(), "by": "a hand that is steady"}
    yield {"kind": "organism", "pair_id": f"coin/{coin}", "dimension": "coins", "organism": coin, "heads": share}


def facts(shard):
    return {
        "weights_sha256": None,
        "dtype": "float64",
        "device": "cpu",
        "attention": "none",
        "forwards": shard.rows,
        "token_layers": 11 * shard.rows,
        "token_layers_floor": 10 * shard.rows,
        "peak_memory_bytes": 1000,
        "conformance": {},
    }


def wait_at_the_gate(coin, done, progress):
    """The third coin and those after it stop half-way for as long as the file COIN_GATE exists."""
    gate = os.environ.get("COIN_GATE")
    while gate and coin >= 2 and done == 4 and Path(gate).exists():
        time.sleep(0.02)
        progress(done + 1)


def trouble(kind):
    if kind == "error":
        raise ArithmeticError("the coin fell off the table \ud800 \0")
    if kind == "refusal":
        raise RefusalError("unusable_model", "There is no coin.", "Bring one.")
    if kind == "death":
        os.kill(os.getpid(), signal.SIGKILL)
