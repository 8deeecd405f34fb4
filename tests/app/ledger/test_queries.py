import contextlib
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from app.ledger import records
from app.ledger.append import append
from app.ledger.bounds import Bounds, figure, moment
from app.ledger.cursors import decode, encode
from app.ledger.filters import ClaimFilter
from app.ledger.links import withdraw
from app.ledger.queries import counts, document, get_claim, list_claims, titles
from app.ledger.runs import claim_shard, queue
from claims.canonical import sha256_hex
from claims.flaws import RefusedInputError

REWARD = {"kind": "huggingface", "repo": "lab/reward", "revision": "a" * 40}
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
TINY = {"kind": "tiny", "seed": 7}
GENERATED = {"kind": "generated", "generator": "tosses"}


def hypothesis(metric):
    return [
        {"id": "H1", "primary": True, "statement": "It is so.", "metric": metric, "predict": {"op": ">", "value": 0}}
    ]


@pytest.fixture
def ledger_of_claims(ledger, put_claim, judge):
    """Claims by name, of every sort that the filters tell apart."""
    with ledger.begin() as session:
        named = {
            "plain": put_claim(session, title="Attention heads carry the marker"),
            "refuted": put_claim(
                session, title="Patching recovers the planted key", rationale="Interventions beat correlations."
            ),
            "confirmed": put_claim(session, registrant="bob", subject={"model": REWARD, "dataset": GENERATED}),
            "void": put_claim(session, subject={"model": TINY, "dataset": GENERATED}),
            "other": put_claim(
                session,
                instrument={"name": "lens_crystallization", "version": "1", "params": {}},
                hypotheses=hypothesis("final_margin"),
            ),
        }
        for verdict in ("refuted", "confirmed", "void"):
            judge(session, named[verdict], verdict)
        named["on_refuted"] = put_claim(session, builds_on=[named["refuted"]])
        append(session, "superseded", named["plain"], "ada", {"by": named["other"], "reason": "Better."})
        withdraw(session, named["other"], "ada", "A mistake.")
    return named


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ({}, ["on_refuted", "other", "void", "confirmed", "refuted", "plain"]),
        ({"status": ("refuted",)}, ["refuted"]),
        ({"status": ("refuted", "confirmed")}, ["confirmed", "refuted"]),
        ({"status": ("withdrawn",)}, ["other"]),
        ({"superseded": True}, ["plain"]),
        ({"refuted_or_superseded": True}, ["refuted", "plain"]),
        ({"superseded": False, "status": ("registered",)}, ["on_refuted"]),
        ({"refuted_or_superseded": False}, ["on_refuted", "other", "void", "confirmed"]),
        ({"contested": True}, ["on_refuted"]),
        ({"contested": False, "status": ("registered",)}, ["plain"]),
        ({"precedence": ("recorded",)}, []),
        ({"trust": ("registered",), "status": ("refuted",)}, ["refuted"]),
        ({"trust": ("exploratory", "adjudicated")}, []),
        ({"dirty": ("clean",)}, ["void", "confirmed", "refuted"]),
        ({"dirty": ("clean", "unknown"), "status": ("void",)}, ["void"]),
        ({"dirty": ("dirty",)}, []),
        ({"reproduced": True}, []),
        ({"reproduced": False, "corrected": False, "registrant": ("bob",)}, ["confirmed"]),
        ({"corrected": True}, []),
        ({"model": ("lab/reward",)}, ["confirmed"]),
        ({"model": ("tiny:7", "lab/reward")}, ["void", "confirmed"]),
        ({"instrument": ("lens_crystallization",)}, ["other"]),
        ({"metric": ("final_margin",)}, ["other"]),
        ({"metric": ("final_margin", "heads"), "registrant": ("bob",)}, ["confirmed"]),
        ({"metric": ("head",)}, []),
        ({"registrant": ("bob",)}, ["confirmed"]),
        ({"dataset": ("tosses",), "status": ("confirmed",)}, ["confirmed"]),
        ({"dataset": ("c" * 64,)}, []),
        ({"dimension": ("safety",)}, []),
        ({"bounds": Bounds(filed_from=LONG_AGO)}, ["on_refuted", "other", "void", "confirmed", "refuted", "plain"]),
        ({"bounds": Bounds(filed_before=LONG_AGO)}, []),
        ({"bounds": Bounds(estimate_min=0.6)}, ["void", "confirmed"]),
        ({"bounds": Bounds(estimate_max=0.35)}, ["refuted"]),
        ({"bounds": Bounds(lo_min=0.6, hi_max=0.65)}, ["void"]),
        ({"bounds": Bounds(estimate_min=0.1), "metric": ("final_margin",)}, []),
        ({"q": "planted key"}, ["refuted"]),
        ({"q": "interventions"}, ["refuted"]),
        ({"q": "recover OR carrying"}, ["refuted", "plain"]),
        ({"q": '"planted key" -patching'}, []),
        ({"q": "the"}, []),
        ({"q": "'; DROP TABLE claims; -- & | ! ( <->"}, []),
    ],
)
def test_a_filter_shows_what_it_names_newest_first(ledger, ledger_of_claims, chosen, names):
    with ledger.begin() as session:
        found = [summary.id for summary in list_claims(session, ClaimFilter(**chosen)).items]
    assert found == [ledger_of_claims[name] for name in names]


def test_a_cursor_goes_on_where_the_list_was_left_whatever_is_filed_meanwhile(ledger, ledger_of_claims, put_claim):
    seen, cursor = [], None
    while True:
        with ledger.begin() as session:
            page = list_claims(session, cursor=cursor, limit=2)
            put_claim(session)
        seen += [summary.id for summary in page.items]
        cursor = page.next
        if cursor is None:
            break
    names = ["on_refuted", "other", "void", "confirmed", "refuted", "plain"]
    assert seen == [ledger_of_claims[name] for name in names]


def test_the_last_page_says_that_it_is(ledger, ledger_of_claims):
    with ledger.begin() as session:
        assert list_claims(session, limit=6).next is None
        assert list_claims(session, limit=5).next is not None


@pytest.mark.parametrize("cursor", ["", "x", "12", encode(3) + "=", "YmVmb3JlOi0x", "é", "\0", encode(3)[:-1]])
def test_what_is_no_cursor_is_refused(ledger, cursor):
    with pytest.raises(RefusedInputError) as refused, ledger.begin() as session:
        list_claims(session, cursor=cursor)
    assert refused.value.flaws[0].pointer == "/cursor"


@pytest.mark.parametrize("seq", [0, 1, 9, 10, 2**40])
def test_a_cursor_is_what_it_was(seq):
    assert decode(encode(seq)) == seq


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_a_list_has_a_bounded_length(ledger, limit):
    with pytest.raises(ValueError, match="a list has 1 to 200 items"), ledger.begin() as session:
        list_claims(session, limit=limit)


def test_a_claim_is_found_with_its_hypotheses_in_order(ledger, put_claim):
    three = [{**hypothesis("heads")[0], "id": name, "primary": name == "Z1"} for name in ("Z1", "A2", "M3")]
    with ledger.begin() as session:
        claim = put_claim(session, hypotheses=three)
        summary = get_claim(session, claim)
        assert [row.id for row in summary.hypotheses] == ["Z1", "A2", "M3"]
        assert (summary.model, summary.metrics, summary.commit) == ("organism:coin", ["heads"], None)
        assert get_claim(session, "nothing") is None
        assert sha256_hex(document(session, claim)) == summary.document_sha256
        assert document(session, "nothing") is None
        assert titles(session, [claim, "nothing"]) == {claim: ("Claim 1", "registered")}


def test_the_counts_are_those_of_the_ledger(ledger, ledger_of_claims):
    with ledger.begin() as session:
        found = counts(session)
        entries = session.execute(text("SELECT count(*) FROM entries")).scalar_one()
    assert found.by_status == {
        "registered": 2,
        "running": 0,
        "confirmed": 1,
        "refuted": 1,
        "inconclusive": 0,
        "void": 1,
        "withdrawn": 1,
    }
    assert (found.claims, found.superseded, found.contested, found.evidence) == (6, 1, 1, 3)
    assert found.entries == entries


def test_an_empty_ledger_can_be_read(ledger):
    with ledger.begin() as session:
        assert list_claims(session).items == []
        assert (counts(session).claims, counts(session).entries) == (0, 0)
        assert records.run(session, "nothing-1") is None
        assert records.runs_of(session, "nothing") == []
        assert records.links_of(session, "nothing") == []
        assert records.evidence_of(session, "nothing") is None


def test_links_are_seen_from_both_ends(ledger, ledger_of_claims):
    refuted, built = ledger_of_claims["refuted"], ledger_of_claims["on_refuted"]
    with ledger.begin() as session:
        (there,), (back,) = records.links_of(session, built), records.links_of(session, refuted)
    assert (there.type, there.incoming, there.claim, there.status) == ("builds_on", False, refuted, "refuted")
    assert (back.type, back.incoming, back.claim, back.title) == ("builds_on", True, built, "Claim 6")


def test_a_run_tells_how_far_it_is(ledger, put_claim):
    with ledger.begin() as session:
        claim = put_claim(session, shards=2)
        (waiting,) = records.runs_of(session, claim)
        assert (waiting.status, waiting.rows_done, waiting.rows_total, waiting.rate) == ("queued", 0, 20, None)
        source = {"instrument_source_sha256": "5" * 64}
        term = timedelta(seconds=60)
        assignment = claim_shard(session, f"{claim}-1", 0, worker="w1", source=source, term=term)
        queue.heartbeat(session, assignment.lease, 5, term)
    with ledger.begin() as session:
        running = records.run(session, f"{claim}-1")
    assert (running.status, running.rows_done, running.shards_done, running.shards_total) == ("running", 5, 0, 2)
    assert (running.workers, running.attempts, running.queue) == (["w1"], 1, "cpu")
    assert running.eta_seconds == pytest.approx(15 / running.rate)


def test_lists_are_read_by_index(ledger, postgres, ledger_of_claims):
    with postgres.superuser("ledger_tests") as connection:
        connection.execute("SET enable_seqscan = off")
        for condition, index in (
            ("search @@ websearch_to_tsquery('english', 'planted')", "ix_claims_search"),
            ("metrics && ARRAY['heads']::text[]", "ix_claims_metrics"),
            ("status IN ('refuted')", "ix_claims_status_seq"),
            ("superseded_by IS NOT NULL ORDER BY seq DESC", "ix_claims_superseded_seq"),
        ):
            plan = connection.execute(f"EXPLAIN SELECT id FROM claims WHERE {condition}").fetchall()
            assert index in str(plan)


@pytest.mark.parametrize("run", ["-", "- ", "-("])
def test_a_search_of_operators_alone_is_refused_or_finds_nothing(ledger, ledger_of_claims, run):
    for count in (1, 10, 50, 1000):
        with contextlib.suppress(RefusedInputError), ledger.begin() as session:
            assert list_claims(session, ClaimFilter(q=run * count)).items == []


@pytest.mark.parametrize("seq", [2**63, 10**30])
def test_a_cursor_beyond_every_entry_is_no_cursor(ledger, seq):
    with pytest.raises(RefusedInputError, match="no cursor"), ledger.begin() as session:
        list_claims(session, cursor=encode(seq))


@pytest.mark.parametrize("text", ["2026-12-01", "2026-12-01T12:00:00Z", "2026-12-01T12:00:00.5+02:00"])
def test_a_moment_is_read_as_it_is_told(text):
    first = moment(text)
    ((name, told),) = Bounds(filed_from=first).asked()
    assert (name, moment(told)) == ("filed_from", first)


@pytest.mark.parametrize("text", ["", "2026", "2026-12-01T12:00:00", "20261201", "2026-13-01", "0000-01-01", "now"])
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(ValueError, match=r"give|month|year|isoformat"):
        moment(text)


@pytest.mark.parametrize("text", ["", "nan", "inf", "-inf", "1e999", "half"])
def test_what_is_no_finite_number_is_refused(text):
    with pytest.raises(ValueError, match=r"finite|convert"):
        figure(text)


def test_the_dimensions_are_those_that_are_asked_for(ledger, put_claim):
    def on(sha256, *dimensions):
        return {"model": TINY, "dataset": {"kind": "pairs", "name": "P", "sha256": sha256, "dimensions": dimensions}}

    with ledger.begin() as session:
        one, two = (
            put_claim(session, subject=on(sha, *names))
            for sha, names in (("c" * 64, ["safety", "honesty"]), ("d" * 64, ["honesty"]))
        )
        for chosen, found in (
            ({"dimension": ("safety",)}, [one]),
            ({"dimension": ("honesty", "safety")}, [two, one]),
            ({"dimension": ("hones",)}, []),
            ({"dataset": ("c" * 64, "e" * 64)}, [one]),
        ):
            assert [claim.id for claim in list_claims(session, ClaimFilter(**chosen)).items] == found
