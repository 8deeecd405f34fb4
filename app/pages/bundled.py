"""The SHA-256 of a claim's bundle for its page: remembered, or found in a thread of its own while the page waits."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError  # noqa: A004 - its own before Python 3.11
from dataclasses import dataclass, field

import structlog

from app.ledger.bundles import Built, Bundles

PATIENCE = 0.5  # seconds that a page waits for it
MOST_AWAITED = 32  # beyond, a page says where to ask: a crawler does not keep the service busy with bundles
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Bundled:
    """`building`: its hash is not known yet, and is being found. `failed`: it cannot be built."""

    built: Built | None = None
    building: bool = False
    failed: bool = False


@dataclass
class _Builder:
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="bundles"))
    awaited: dict[tuple[int, str, int], Future[Built]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, bundles: Bundles, claim: str, size: int) -> Future[Built] | None:
        """What is being built already, or from now on; None where too many are. Forgotten as soon as it is done."""
        key = (id(bundles), claim, size)
        with self.lock:
            found = self.awaited.get(key)
            if found is not None or len(self.awaited) >= MOST_AWAITED:
                return found
            found = self.awaited[key] = self.pool.submit(bundles.described, claim, size)
        found.add_done_callback(lambda _: self.awaited.pop(key, None))
        return found


_builder = _Builder()


def bundle_of(bundles: Bundles, claim: str, size: int | None, patience: float = PATIENCE) -> Bundled:
    """The claim's bundle as of the tree of `size`, for which there is a checkpoint; nothing is built without one."""
    if size is None:
        return Bundled()
    known = bundles.known(claim, size)
    if known is not None:
        return Bundled(known)
    found = _builder.get(bundles, claim, size)
    if found is None:
        return Bundled()
    try:
        return Bundled(found.result(patience))
    except TimeoutError:
        return Bundled(building=True)
    except Exception:  # whatever is wrong with what the ledger keeps, the page says all the rest
        log.exception("bundle not built", claim=claim, tree_size=size)
        return Bundled(failed=True)
