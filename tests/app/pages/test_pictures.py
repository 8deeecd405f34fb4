from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from app.pages.pictures import gallery
from app.pages.pictures.gallery import gallery_of
from claims.instruments.planted_key_recovery import MANIFEST

from .documents import agreement_registration
from .instrument_rows import DIMENSIONS, agreement_rows, planted_rows
from .judged import judged_claim


@pytest.fixture
def shelf(monkeypatch):
    """A shelf of its own, so that nothing drawn before is found on it."""
    shelf = gallery._Shelf()
    monkeypatch.setattr(gallery, "_shelf", shelf)
    yield shelf
    shelf.pool.shutdown()


def test_the_planted_key_is_drawn_organism_by_organism(shelf, refuted):
    found = gallery_of(refuted, lambda: [planted_rows()], patience=60)
    (picture,) = found.pictures
    assert len(picture.rows) == 24
    assert [row[0] for row in picture.rows if "excluded" in row[0]] == ["5, excluded", "16, excluded"]
    assert "22 organisms, 2 more excluded" in picture.caption
    assert "Under the constructed key patching did better in" in picture.caption
    assert MANIFEST.metric("recovery_gap").ceiling in picture.says
    governed = [row for row in picture.rows if "excluded" not in row[0]]
    assert str(picture.drawn.wide).count("<title>organism") == 22 * 2 * 2
    for row in governed:
        attribution, patching, gap = (float(value.replace("\u2212", "-")) for value in row[2:5])
        assert gap == pytest.approx(patching - attribution, abs=0.002)


def test_agreement_is_drawn_by_dimension_and_component(shelf):
    document, rows = agreement_registration(), agreement_rows()
    record = judged_claim(document, rows)
    by_dimension, flip, by_component = gallery_of(record, lambda: [rows], patience=60).pictures
    assert [choice.name.split(",")[0] for choice in flip.choices] == list(DIMENSIONS)
    assert [row[0] for row in by_dimension.rows] == list(DIMENSIONS)
    assert "mean of them" in str(by_dimension.drawn.wide)
    assert len(by_component.rows) == 4 * 32
    assert str(by_component.drawn.wide).count("<title>") == 4 * 32
    assert by_component.columns[2:] == ("mean |attribution|", "mean |patch effect|")


def test_signed_rankings_are_named_as_such(shelf):
    document = agreement_registration()
    document["instrument"]["params"] = {"rank_by": "signed_signed"}
    rows = agreement_rows()
    pictures = gallery_of(judged_claim(document, rows), lambda: [rows], patience=60).pictures
    assert "mean patch effect" in pictures[-1].caption


def test_pictures_are_drawn_once(shelf, refuted):
    reads = []

    def rows() -> list[bytes]:
        reads.append(1)
        return [planted_rows()]

    first, second = gallery_of(refuted, rows, patience=60), gallery_of(refuted, rows, patience=60)
    assert first.pictures is second.pictures
    assert len(reads) == 1


def test_a_page_does_not_wait_for_slow_pictures(shelf, refuted):
    ready = threading.Event()

    def slow() -> list[bytes]:
        assert ready.wait(60)
        return [planted_rows()]

    assert gallery_of(refuted, slow, patience=0.01).drawing
    ready.set()
    assert gallery_of(refuted, slow, patience=60).pictures


@pytest.mark.parametrize(
    "rows", [b"not rows at all\n", b'{"kind":"organism","organism":0,"accuracy":1,"governed":true}\n']
)
def test_rows_that_cannot_be_read_leave_the_rest_of_the_page_alone(rows: bytes, shelf, refuted):
    found = gallery_of(refuted, lambda: [rows], patience=60)
    assert (found.failed, found.drawing, list(found.pictures)) == (True, False, [])


def test_nothing_is_drawn_before_evidence_or_for_another_instrument(shelf, running, refuted):
    def unread() -> list[bytes]:
        raise AssertionError("nothing to read")

    assert gallery_of(running, unread) == gallery.Gallery()
    other = refuted.registration.instrument.model_copy(update={"name": "coin_toss"})
    unknown = replace(refuted, registration=refuted.registration.model_copy(update={"instrument": other}))
    assert gallery_of(unknown, unread) == gallery.Gallery()


def test_rows_are_read_in_parts_wherever_they_are_cut(shelf, refuted):
    rows = planted_rows(organisms=2)
    parts = [rows[start : start + 1000] for start in range(0, len(rows), 1000)]
    assert len(gallery_of(refuted, lambda: iter(parts), patience=60).pictures) == 1


def test_only_so_many_are_kept(shelf, refuted, monkeypatch):
    monkeypatch.setattr(gallery, "KEPT", 2)
    for number in range(4):
        judged = replace(refuted, evidence_sha256=f"{number:064d}")
        gallery_of(judged, lambda: [planted_rows(organisms=1)], patience=60)
    assert list(shelf.kept) == [f"{number:064d}" for number in (2, 3)]
