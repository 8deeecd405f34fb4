"""The projections in memory, as the log gives them: what the database is held against."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from sqlalchemy import inspect
from sqlmodel import Session

from app.ledger import inline
from app.ledger.tables import Base, ClaimRow, EvidenceRow
from claims.canonical import canonical_bytes
from claims.dose_series import Point, point_of
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.lifecycle import ClaimState
from claims.registration.model import Registration
from claims.scorecards import is_calibrated
from claims.trust import is_registered, trust_of

Row = dict[str, Any]
Key = tuple[Any, ...]
KEPT_REGISTRATIONS = 256


class Digest(str):
    """What stands for a large value: its hash, which is all that a comparison needs."""

    __slots__ = ()


def digested(value: Any) -> Any:  # noqa: ANN401 - a column's value
    """The value, or a digest of one that is JSON or bytes: equal for equal values alone, 1 and true apart."""
    if isinstance(value, bytes):
        return Digest(hashlib.sha256(value).hexdigest())
    if isinstance(value, dict):
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
        return Digest(hashlib.sha256(text.encode()).hexdigest())
    return value


class MemoryStore:
    """A `Store` without a database; documents larger than an entry holds are read through `session`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.enclosed: bytes | None = None  # the one form of the document in the entry that is applied now, if known
        self.tables: dict[type[Base], dict[Key, Row]] = defaultdict(dict)
        self.states: dict[str, ClaimState] = {}
        self._keys: dict[type[Base], tuple[str, ...]] = {}
        self._of_claim: dict[tuple[type[Base], str], list[Key]] = defaultdict(list)
        self._documents: dict[str, bytes] = {}
        self._chosen: dict[str, Digest] = {}
        self._registrations: OrderedDict[str, Registration] = OrderedDict()
        self._doses: dict[str, Row] = {}

    def insert(self, table: type[Base], *rows: Mapping[str, Any]) -> None:
        for row in rows:
            key = tuple(row[column] for column in self.key_of(table))
            if key in self.tables[table]:
                raise ValueError(f"{table.__tablename__} {key} stands there already")
            if table is ClaimRow:
                self._documents[row["id"]] = row["document"]
                self._chosen[row["id"]] = digested(row["registration"]["instrument"])
            if table is EvidenceRow and row["dose"] is not None:
                self._doses[row["run"]] = row["body"]
            self.tables[table][key] = {**_defaults(table), **self.kept(row)}
            if "claim" in row:
                self._of_claim[table, row["claim"]].append(key)

    def update(self, table: type[Base], key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        for row in self._matching(table, key):
            row.update(self.kept(values))
            if table is EvidenceRow and row["dose"] is not None and "body" in values:
                self._doses[row["run"]] = values["body"]

    def canonical(self, enclosed: dict[str, Any]) -> bytes:
        if set(enclosed) == inline.REFERENCE:
            return inline.canonical_of(self.session, enclosed)
        return canonical_bytes(enclosed) if self.enclosed is None else self.enclosed

    def document(self, enclosed: dict[str, Any]) -> dict[str, Any]:
        return inline.document_of(self.session, enclosed)

    def registration(self, claim: str) -> Registration:
        """Parsed once for the few claims in whose lives the log is."""
        found = self._registrations.get(claim)
        if found is None:
            found = Registration.model_validate(json.loads(self._documents[claim]))
        self.keep_registration(claim, found)
        return found

    def keep_registration(self, claim: str, registration: Registration) -> None:
        """Keep what was parsed: the last few that were asked for are."""
        self._registrations[claim] = registration
        self._registrations.move_to_end(claim)
        if len(self._registrations) > KEPT_REGISTRATIONS:
            self._registrations.popitem(last=False)

    def state(self, claim: str, before: int) -> ClaimState | None:
        del before  # entries come in order, so that what is known is what was before
        return self.states.get(claim)

    def trust(self, state: ClaimState, registration: Registration) -> str:
        del state, registration
        return ""  # every claim's at once, when the log has ended

    def recalibrate(self) -> None:
        """Nothing yet: see `settle`."""

    def settle(self) -> None:
        """Compute the trust of every claim from all that the log says."""
        points = list(self._points())
        known: dict[tuple[str, str, Digest], str] = {}
        for claim, row in ((key[0], row) for key, row in self.tables[ClaimRow].items()):
            basis = (row["precedence"], row["status"], self._chosen[claim])
            if basis not in known:
                chosen = self.registration(claim).instrument.model_dump(mode="json")
                calibrated = is_calibrated(chosen, points, catalogue())
                known[basis] = trust_of(row["precedence"], row["status"], calibrated=calibrated)
            row["trust"] = known[basis]

    def kept(self, values: Mapping[str, Any]) -> Row:
        """What is held of these columns."""
        return {name: digested(value) for name, value in values.items()}

    def key_of(self, table: type[Base]) -> tuple[str, ...]:
        """The columns of the table's primary key."""
        if table not in self._keys:
            self._keys[table] = tuple(column.name for column in inspect(table).primary_key)
        return self._keys[table]

    def _points(self) -> Iterator[Point]:
        rows = sorted((row for row in self.tables[EvidenceRow].values() if row["dose"] is not None), key=_seq)
        for row in rows:
            claim = self.tables[ClaimRow][row["claim"],]
            if claim["run"] == row["run"] and is_registered(claim["precedence"]):
                evidence = Evidence.model_validate(self._doses[row["run"]])
                point = point_of(row["claim"], row["seq"], self.registration(row["claim"]), evidence)
                if point is not None:
                    yield point

    def _matching(self, table: type[Base], key: Mapping[str, Any]) -> Iterator[Row]:
        columns = self.key_of(table)
        if set(columns) <= key.keys():
            keys = [tuple(key[column] for column in columns)]
        else:
            keys = self._of_claim[table, key["claim"]]
        for found in (self.tables[table].get(each) for each in keys):
            if found is not None and all(found[name] == value for name, value in key.items()):
                yield found


def _seq(row: Row) -> int:
    return int(row["seq"])


@cache
def _defaults(table: type[Base]) -> Mapping[str, Any]:
    """What the database puts in a column that an insert leaves out."""
    row = {}
    for column in inspect(table).columns:
        if column.computed is None:
            row[column.name] = False if column.server_default is not None else None
    return row
