"""The runs of words in preference pairs, as a sparse matrix: which pair holds which."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array

from claims.pairs import Pair

RUN = 3  # words of a shingle
# A word is a run of letters and digits; a sign of a script that writes no blanks between words is one by itself.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_NO_WORD = 0


@dataclass(frozen=True)
class Shingles:
    """The distinct shingles of n pairs. Those of one pair alone stand in `sizes` only.

    `sizes` (n,) counts each pair's; `held` (n, m) says which pair holds which set of shingles that always occur
    together, and `weighted` (n, m) likewise with how many they are: `weighted @ held.T` counts what pairs share.
    `overlaps` is about the number of additions which that product takes.
    """

    sizes: NDArray[np.int64]
    held: csr_array[np.int64]
    weighted: csr_array[np.int64]
    overlaps: float


def shingles_of(pairs: Sequence[Pair]) -> Shingles:
    """The runs of `RUN` words of prompt and responses, case and punctuation apart; a shorter text is one run.

    An empty text has none. System messages are left out, since a whole data set may share one.
    """
    words, texts, owners = _words(pairs)
    starts = np.flatnonzero(texts[: len(texts) - RUN + 1] == texts[RUN - 1 :])
    runs = words[starts].astype(np.int64)
    for offset in range(1, RUN):  # numbered anew at every step, so that no product overflows
        _, runs = np.unique(runs * (words.max(initial=_NO_WORD) + 1) + words[starts + offset], return_inverse=True)
    rows = owners[texts[starts]]
    everything = coo_array((np.ones(len(rows), dtype=np.bool_), (rows, runs)), shape=(len(pairs), len(rows))).tocsc()
    everything.sum_duplicates()
    sizes = np.bincount(everything.indices, minlength=len(pairs))
    return _shared(everything, sizes)


def _words(pairs: Sequence[Pair]) -> tuple[NDArray[np.intc], NDArray[np.intc], NDArray[np.intc]]:
    """The words of all texts as numbers, for each word its text, and for each text its pair."""
    numbers: defaultdict[str, int] = defaultdict(count(_NO_WORD + 1).__next__)
    words, texts, owners = array("i"), array("i"), array("i")
    for owner, pair in enumerate(pairs):
        for text in _texts(pair):
            folded = unicodedata.normalize("NFC", text).casefold()
            found = [numbers[word] for word in _WORD.findall(folded) or folded.split()]
            found += [_NO_WORD] * (RUN - len(found) if found else 0)
            words.extend(found)
            texts.extend([len(owners)] * len(found))
            owners.append(owner)
    return np.array(words), np.array(texts), np.array(owners)


def _texts(pair: Pair) -> Iterator[str]:
    if isinstance(pair.prompt, str):
        yield pair.prompt
    else:
        yield from (message.content for message in pair.prompt if message.role != "system")
    yield from (pair.chosen, pair.rejected)


def _shared(everything: csc_array[np.bool_], sizes: NDArray[np.int64]) -> Shingles:
    """Columns of the same pairs are joined: a preamble that all prompts have costs no more than one word of it."""
    shared = np.flatnonzero(np.diff(everything.indptr) > 1)
    ends = zip(everything.indptr[shared], everything.indptr[shared + 1], strict=True)
    sets = Counter(everything.indices[start:end].tobytes() for start, end in ends)
    columns = [np.frombuffer(members, dtype=everything.indices.dtype) for members in sets]
    lengths = np.array([len(column) for column in columns], dtype=np.int64)
    rows = np.concatenate([*columns, np.empty(0, dtype=np.int64)])
    weights = np.repeat(np.array(list(sets.values()), dtype=np.int64), lengths)
    at = (rows, np.repeat(np.arange(len(columns)), lengths))
    shape = (len(sizes), len(columns))
    held, weighted = (coo_array((data, at), shape=shape).tocsr() for data in (np.ones_like(weights), weights))
    return Shingles(sizes, held, weighted, float(np.sum(lengths.astype(float) ** 2) / 2))
