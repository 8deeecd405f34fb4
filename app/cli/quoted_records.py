"""What a ledger holds of the claims and imports that a text quotes, each asked for once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias

from app.cli.errors import BadInputError, RefusedError
from app.cli.service import Service
from claims.bundle import archive
from claims.bundle.stored import InvalidBundleError
from claims.checkpoint import parse
from claims.quoting import Recorded
from claims.verifying import Case
from claims.verifying.lines import printable

Records: TypeAlias = Callable[[str, str], Recorded | None]
"""By kind, `claim` or `import`, and id; None for what is not recorded."""
_FLAGS = ("superseded", "contested")
_FIELDS = ("estimate", "lo", "hi")


def from_service(service: Service) -> Records:
    """What the service answers; raises UnreachableError and RefusedError for all but a record that is not there."""

    @cache
    def recorded(kind: str, name: str) -> Recorded | None:
        found = _found(service, f"/v1/{kind}s/{name}")
        if found is None:
            return None
        return _import(found) if kind == "import" else _claim(service, found)

    return recorded


def from_bundles(directory: Path) -> Records:
    """What the bundles in a directory say, of several of one claim the one of the largest log; imports have none.

    Each is read strictly, its proofs and signatures are for `antedate verify`. Raises BadInputError for a file that
    is no bundle.
    """

    @cache
    def claims() -> dict[str, Recorded]:
        cases = sorted(map(_case, _files(directory)), key=lambda case: parse(case.parts.checkpoint).size)
        return {str(case.registered.claim): _of_case(case) for case in cases}

    return lambda kind, name: claims().get(name) if kind == "claim" else None


def _files(directory: Path) -> list[Path]:
    files = sorted(directory.glob("*.zip"))
    if not files:
        raise BadInputError(f"{directory} holds no bundle: put there what /v1/claims/<id>/bundle.zip gives, as *.zip.")
    return files


def _case(path: Path) -> Case:
    try:
        # Rows are not read again, so that the file may be closed.
        with path.open("rb") as file:
            return Case(archive.read(file), None)
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {error.strerror or error}.") from error
    except InvalidBundleError as error:
        raise BadInputError(f"{path} is no bundle: {printable(str(error))}.") from error


def _of_case(case: Case) -> Recorded:
    """As judged last; what has happened since that log is not known."""
    life, head = case.life, parse(case.parts.checkpoint)
    if life is None:
        raise BadInputError(f"the bundle of {case.registered.claim} is of no claim's life: see `antedate verify`.")
    found = case.standing_evidence(life.run).estimates if life.run in case.runs else {}
    values = {name: _estimate(one.model_dump()) for name, one in found.items()}
    flags = (("superseded", life.superseded_by is not None), ("contested", life.contested))
    statuses = {life.status, *(flag for flag, holds in flags if holds)}
    since = f"superseded by {life.superseded_by}" if life.superseded_by else ""
    return Recorded(frozenset(statuses), values, since, f"as of {head.size} entries of {head.origin}")


def _claim(service: Service, claim: Mapping[str, Any]) -> Recorded:
    """A claim's figures are those of its hypotheses, as judged last; other metrics' are those of its evidence."""
    evidence = _found(service, f"/v1/claims/{claim['id']}/evidence")
    values = {} if evidence is None else {name: _estimate(one) for name, one in evidence["estimates"].items()}
    judged = {
        one["metric"]: {name: one[name] for name in _FIELDS}
        for one in claim["hypotheses"]
        if one["estimate"] is not None
    }
    statuses = {claim["status"], *(flag for flag in _FLAGS if claim[flag])}
    return Recorded(frozenset(statuses), {**values, **judged}, _since(claim))


def _import(found: Mapping[str, Any]) -> Recorded:
    """An import's figures stand as they were published: those without an interval have an estimate alone."""
    figures = {figure["metric"]: _published(figure) for figure in found["figures"]}
    superseded = {"superseded"} if found["superseded_by"] else set()
    return Recorded(frozenset({found["outcome"], *superseded}), figures, _since(found))


def _published(figure: Mapping[str, Any]) -> dict[str, float]:
    named = {"estimate": figure["value"], "lo": figure.get("lo"), "hi": figure.get("hi")}
    return {field: value for field, value in named.items() if value is not None}


def _estimate(estimate: Mapping[str, Any]) -> dict[str, float]:
    return {"estimate": estimate["value"], "lo": estimate["lo"], "hi": estimate["hi"]}


def _since(record: Mapping[str, Any]) -> str:
    return f"superseded by {record['superseded_by']}" if record["superseded_by"] else ""


def _found(service: Service, path: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return service.get(path)
    except RefusedError as error:
        if error.status == HTTPStatus.NOT_FOUND and error.code in {"not_found", "nothing_measured"}:
            return None
        raise
