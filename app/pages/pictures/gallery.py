"""Which pictures a claim has. They are drawn in a thread of their own, once for each evidence, and kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError  # noqa: A004 - its own before Python 3.11
from dataclasses import dataclass, field
from types import MappingProxyType

import structlog

from app.pages.claim.record import ClaimRecord
from app.pages.pictures import (
    agreement,
    bias,
    gradient,
    lens,
    linear_attribution,
    patch_grid,
    planted_key,
    reward_scores,
)
from app.pages.pictures.pictured import Drawing, Pictured
from claims import rows

DRAWINGS: Mapping[str, Drawing] = MappingProxyType(
    {
        "attribution_patching": gradient.draw,
        "attribution_patching_agreement": agreement.draw,
        "bias_battery": bias.draw,
        "direct_linear_attribution": linear_attribution.draw,
        "lens_crystallization": lens.draw,
        "patch_grid": patch_grid.draw,
        "planted_key_recovery": planted_key.draw,
        "reward_scores": reward_scores.draw,
    }
)
KEPT = 128  # evidences whose pictures are kept
PATIENCE = 2.0  # seconds that a page waits for its pictures before it goes out without them
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Gallery:
    """`drawing`: they are not ready yet. `failed`: they could not be drawn from these rows."""

    pictures: Sequence[Pictured] = ()
    drawing: bool = False
    failed: bool = False

    @property
    def marks(self) -> list[str]:
        """What a reader may have marked in all of them."""
        return list(dict.fromkeys(mark for picture in self.pictures for mark in picture.marks))


@dataclass
class _Shelf:
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="pictures"))
    kept: OrderedDict[str, Future[Sequence[Pictured]]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, evidence: str, draw: Callable[[], Sequence[Pictured]]) -> Future[Sequence[Pictured]]:
        with self.lock:
            if evidence not in self.kept:
                self.kept[evidence] = self.pool.submit(draw)
            self.kept.move_to_end(evidence)
            while len(self.kept) > KEPT:
                self.kept.popitem(last=False)
            return self.kept[evidence]


_shelf = _Shelf()


def gallery_of(record: ClaimRecord, read_rows: Callable[[], Iterable[bytes]], patience: float = PATIENCE) -> Gallery:
    """The pictures of the claim's evidence: none before it, and for an instrument without pictures.

    `read_rows` gives the run's rows in parts; it is called and read in another thread, and only the first time.
    """
    evidence, draw = record.evidence, DRAWINGS.get(record.registration.instrument.name)
    if evidence is None or record.evidence_sha256 is None or draw is None:
        return Gallery()
    drawn = _shelf.get(
        record.evidence_sha256, lambda: draw(rows.decode_chunks(read_rows()), record.registration, evidence)
    )
    try:
        return Gallery(drawn.result(patience))
    except TimeoutError:
        return Gallery(drawing=True)
    except Exception:  # whatever is wrong with the rows, the page says all the rest
        log.exception("pictures not drawn", claim=record.id, evidence=record.evidence_sha256)
        return Gallery(failed=True)
