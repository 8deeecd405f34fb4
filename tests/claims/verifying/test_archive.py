"""A bundle's bytes: what is written verifies, and no byte of it can be another."""

import dataclasses
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.bundle import archive
from claims.verifying import CHECKS, Case, Pin, verify_file
from tests.claims.verifying.story import RUN, Story


def written(story: Story) -> bytes:
    file = io.BytesIO()
    archive.write(story.parts(), file)
    return file.getvalue()


def lines(bundle: bytes, story: Story):
    return {
        line.name: line for line in verify_file(io.BytesIO(bundle), lambda parts: Case(parts, Pin(story.vkey, "given")))
    }


@pytest.fixture(scope="session")
def honest(told_once) -> bytes:
    return written(told_once)


def test_an_honest_bundle_passes(honest, told_once):
    found = lines(honest, told_once)
    assert list(found) == ["archive", *CHECKS]
    assert {name for name, line in found.items() if line.state != "ok"} == {"trust"}


@settings(max_examples=60)
@given(data=st.data())
def test_a_single_byte_changed_never_passes_and_is_named(honest, told_once, data):
    at = data.draw(st.integers(0, len(honest) - 1))
    other = data.draw(st.integers(1, 255))
    forged = bytearray(honest)
    forged[at] ^= other
    failures = [line for line in lines(bytes(forged), told_once).values() if line.state == "failed"]
    assert failures
    assert all(line.detail for line in failures)


@settings(max_examples=60)
@given(data=st.data())
def test_a_single_byte_changed_by_a_forger_who_mends_every_checksum_never_passes(told_once, data):
    parts = told_once.parts()
    name = data.draw(
        st.sampled_from(["registration", "receipt", "checkpoint", "vkey", "evidence", "rows", "again", "entry"])
    )
    which = data.draw(st.integers(0, len(parts.entries) - 1))
    given = {
        "evidence": parts.evidence[RUN],
        "rows": told_once.rows,
        "again": told_once.again,
        "entry": parts.entries[which].canonical,
    }
    whole = given[name] if name in given else getattr(parts, name)
    forged = bytearray(whole.encode() if isinstance(whole, str) else whole)
    forged[data.draw(st.integers(0, len(forged) - 1))] ^= data.draw(st.integers(1, 255))
    changed = bytes(forged)
    try:
        put = {
            "evidence": lambda: {"evidence": {RUN: changed}},
            "rows": lambda: {"rows": {RUN: lambda: [changed]}},
            "again": lambda: {"again": {RUN: lambda: [changed]}},
            "entry": lambda: {"entries": _with(parts.entries, which, changed)},
            "checkpoint": lambda: {"checkpoint": changed.decode()},
            "vkey": lambda: {"vkey": changed.decode()},
        }.get(name, lambda: {name: changed})()
        file = io.BytesIO()
        archive.write(dataclasses.replace(parts, **put), file)
    except ValueError:
        return  # it is no text any more, or no archive can be made of it
    assert "failed" in {line.state for line in lines(file.getvalue(), told_once).values()}


def _with(entries, which, canonical):
    return [dataclasses.replace(each, canonical=canonical) if at == which else each for at, each in enumerate(entries)]


@pytest.mark.parametrize("forged", [b"", b"PK", b"PK\x03\x04" + b"\x00" * 26, b"not a zip", b"\x00" * 4096])
def test_what_is_no_archive(told_once, forged):
    found = lines(forged, told_once)
    assert found["archive"].state == "failed"
    assert {found[name].state for name in CHECKS} == {"not checked"}


@pytest.mark.parametrize("cut", [1, 22, 100, 10_000])
def test_what_is_cut_short_or_goes_on(honest, told_once, cut):
    assert lines(honest[:-cut], told_once)["archive"].state == "failed"
    assert lines(honest + b"\x00" * cut, told_once)["archive"].state == "failed"
    assert lines(b"\x00" * cut + honest, told_once)["archive"].state == "failed"


def test_an_operators_forgery_is_an_archive_like_any_other_and_fails_where_it_lies(story):
    story.evidence["estimates"]["recovery_gap_constructed"]["hi"] += 0.125
    story.judge()
    found = lines(written(story), story)
    assert {name for name, line in found.items() if line.state == "failed"} == {"intervals"}
    assert f"{RUN}: recovery_gap_constructed hi" in found["intervals"].detail


def test_a_verdict_of_an_operators_choice(story):
    story.verdict["status"] = "confirmed" if story.verdict["status"] != "confirmed" else "refuted"
    found = lines(written(story), story)
    assert {name for name, line in found.items() if line.state == "failed"} == {"verdict"}
