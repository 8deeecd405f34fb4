"""Who is asked, when, and what happens while they are down."""

import pytest

from app.ledger import anchors, tree
from app.settings import Settings, SettingsError
from claims import timestamps
from workers import anchoring
from workers.anchoring import Asking, anchor_newest, outside

TSA, WITNESS = "/tsa", "/witness/add-checkpoint"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def asking(clock):
    return Asking(clock)


def kinds(ledger, size):
    with ledger.begin() as session:
        return {row.kind for row in anchors.of_checkpoint(session, size)}


def test_the_newest_head_is_anchored_by_everybody_once(ledger, ask, world, issue, asking):
    everybody = ask("timestamp", "witnesses")
    anchor_newest(ledger, everybody, asking)
    assert world.asked == [], "an empty log has no head"
    issue()
    issued = issue()
    for _ in range(3):
        anchor_newest(ledger, everybody, asking)
    assert sorted(world.paths()) == [TSA, WITNESS]
    assert kinds(ledger, 2) == {"timestamp", "witness"}
    assert kinds(ledger, 1) == set()
    with ledger.begin() as session:
        stamped = next(row for row in anchors.of_checkpoint(session, 2) if row.kind == "timestamp")
    roots = everybody.authority.roots
    assert timestamps.verify(stamped.body, timestamps.text_of(issued.note), roots) == stamped.time
    assert stamped.name == world.url.removeprefix("http://")


def test_at_rest_they_are_asked_seldom_and_soon_while_a_run_waits(  # noqa: PLR0917 - fixtures
    ledger, ask, world, issue, asking, clock, file_claim
):
    everybody = ask("timestamp", "beacon")
    issue()
    anchor_newest(ledger, everybody, asking)
    issue()
    clock.now += anchoring.AT_REST_SECONDS - 1
    anchor_newest(ledger, everybody, asking)
    assert len(world.asked) == 1
    file_claim(coins=4)
    anchor_newest(ledger, everybody, asking)
    assert len(world.asked) == 2, "the head does not hold the claim yet, and is anchored all the same"
    issue()
    anchor_newest(ledger, everybody, asking)
    assert len(world.asked) == 2
    clock.now += anchoring.AT_LEAST_SECONDS
    anchor_newest(ledger, everybody, asking)
    assert len(world.asked) == 3
    issue()
    clock.now += anchoring.AT_LEAST_SECONDS
    anchor_newest(ledger, everybody, asking)
    assert len(world.asked) == 3, "every claim is covered by now"
    clock.now += anchoring.AT_REST_SECONDS
    anchor_newest(ledger, everybody, asking)
    assert len(world.asked) == 4


@pytest.mark.parametrize("answer", [(500, b"on fire"), (200, b"nonsense"), (302, b"")])
def test_one_that_is_down_is_asked_again_later_and_holds_up_nobody(  # noqa: PLR0917 - fixtures
    ledger, ask, world, issue, asking, clock, answer, caplog
):
    everybody = ask("timestamp", "witnesses")
    world.trouble[TSA] = answer
    issue()
    for _ in range(3):
        anchor_newest(ledger, everybody, asking)
    assert sorted(world.paths()) == [TSA, WITNESS]
    assert kinds(ledger, 1) == {"witness"}
    assert "is asked again in 15 s" in caplog.text
    world.trouble.clear()
    clock.now += anchoring.AT_REST_SECONDS
    anchor_newest(ledger, everybody, asking)
    assert kinds(ledger, 1) == {"witness", "timestamp"}


def test_an_anchor_adds_nothing_to_the_log(ledger, ask, issue, asking):
    issue()
    anchor_newest(ledger, ask("timestamp", "witnesses"), asking)
    with ledger.begin() as session:
        assert tree.size(session) == 1


def test_without_a_name_nobody_is_asked_and_nothing_waits(ask):
    nobody = outside(Settings())
    assert (nobody.are_asked, nobody.patience, nobody.beacon) == (False, None, None)
    assert ask("beacon").patience is None, "no anchor, so nothing to wait for"
    assert not ask("beacon").are_asked
    assert ask("timestamp").patience is None
    assert ask("timestamp", "beacon").patience.total_seconds() == 120


def test_a_pinned_witness_without_an_address_is_not_asked(ledger, world, issue, asking, tmp_path):
    file = tmp_path / "silent.txt"
    file.write_text(world.witness.vkey)
    silent = outside(Settings(witnesses=file))
    assert not silent.are_asked
    issue()
    anchor_newest(ledger, silent, asking)
    assert world.asked == []


@pytest.mark.parametrize("field", ["timestamp_roots", "witnesses"])
def test_a_file_of_something_else_stops_the_start(tmp_path, field):
    file = tmp_path / "wrong"
    file.write_text("neither certificates nor witnesses\n")
    settings = Settings(timestamp_url="https://tsa.example", timestamp_roots=file, witnesses=file)
    settings = settings.model_copy(
        update={"witnesses": None} if field == "timestamp_roots" else {"timestamp_url": None}
    )
    with pytest.raises(SettingsError, match=f"ANTEDATE_{field.upper()}=.*wrong cannot be used"):
        outside(settings)
