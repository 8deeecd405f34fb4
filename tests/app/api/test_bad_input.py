"""Everything that issue 2 lists as bad input: a 4xx problem with a pointer where there is one, and nothing recorded."""

import json
from collections.abc import Callable
from typing import Any

import pytest

DATASET = {"kind": "pairs", "name": "missing", "sha256": "0" * 64, "dimensions": ["safety"]}
AGREEMENT = {"name": "attribution_patching_agreement", "version": "1", "params": {}}
HUGGING_FACE = {"kind": "huggingface", "repo": "a/b"}
Change = Callable[[dict[str, Any]], None]


def within(document: dict[str, Any]) -> None:
    document["hypotheses"][0]["predict"] = {"op": "within", "low": 0.5, "high": -0.5}


def no_primary(document: dict[str, Any]) -> None:
    for hypothesis in document["hypotheses"]:
        hypothesis["primary"] = False


def kill_own_metric(document: dict[str, Any]) -> None:
    document["kill_criteria"][0]["metric"] = document["hypotheses"][0]["metric"]


def subject(model: dict[str, Any]) -> Change:
    return lambda document: document["subject"].update(model=model)


def first_hypothesis(**parts: Any) -> Change:
    return lambda document: document["hypotheses"][0].update(parts)


CHANGES: dict[str, tuple[Change, str]] = {
    "unknown key": (lambda document: document.update(colour="red"), "/colour"),
    "unknown key below": (lambda document: document["analysis"].update(alpha=0.05), "/analysis/alpha"),
    "NUL": (lambda document: document.update(title="a\0b"), "/title"),
    "title not NFC": (lambda document: document.update(title="Cafe\u0301"), "/title"),
    "bidi override": (lambda document: document.update(title="a\u202eb"), "/title"),
    "metric not produced": (first_hypothesis(metric="accuracy"), "/hypotheses/0/metric"),
    "band reversed": (within, "/hypotheses/0/predict/low"),
    "confidence 0.8": (lambda document: document["analysis"].update(confidence=0.8), "/analysis/confidence"),
    "no primary": (no_primary, "/hypotheses"),
    "vacuous threshold": (first_hypothesis(predict={"op": ">", "value": -5}), "/hypotheses/0/predict"),
    "kill criterion on the hypothesis's metric": (kill_own_metric, "/kill_criteria/0/metric"),
    "unknown kind of model": (subject({"kind": "oracle"}), "/subject/model/kind"),
    "unknown recipe": (subject({"kind": "organism", "recipe": "unheard_of"}), "/subject/model/recipe"),
    "unpinned revision": (subject({**HUGGING_FACE, "revision": "main"}), "/subject/model/revision"),
    "instrument unknown": (lambda document: document["instrument"].update(name="tea_leaves"), "/instrument/name"),
    "amends nothing": (lambda document: document.update(amends={"claim": "a" * 16, "reason": "x"}), "/amends/claim"),
    "builds on nothing": (lambda document: document.update(builds_on=["a" * 16]), "/builds_on/0"),
    "true for a number": (first_hypothesis(predict={"op": ">", "value": True}), "/hypotheses/0/predict/value"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_wrong_document(service, document, problem_of, name):
    change, pointer = CHANGES[name]
    wrong = document()
    change(wrong)
    before = service.entries(), service.claims()
    problem = problem_of(service.file(json.dumps(wrong).encode()), 422, "invalid_registration")
    assert pointer in [flaw["pointer"] for flaw in problem["errors"]]
    assert all(flaw["detail"] and flaw["remedy"] for flaw in problem["errors"])
    assert (service.entries(), service.claims()) == before


def as_bytes(document: dict[str, Any], before: str, after: str) -> bytes:
    text = json.dumps(document)
    assert before in text
    return text.replace(before, after, 1).encode()


BYTES: dict[str, tuple[Callable[[dict[str, Any]], bytes], str]] = {
    "duplicate key": (lambda document: as_bytes(document, '{"schema"', '{"title": "x", "schema"'), ""),
    "duplicate key below": (
        lambda document: as_bytes(document, '"id": "H1"', '"id": "H0", "id": "H1"'),
        "/hypotheses/0",
    ),
    "NaN": (lambda document: as_bytes(document, '"confidence": 0.95', '"confidence": NaN'), "/analysis/confidence"),
    "1e999": (lambda document: as_bytes(document, '"confidence": 0.95', '"confidence": 1e999'), "/analysis/confidence"),
    "lone surrogate": (lambda document: as_bytes(document, '"title": "', '"title": "\\ud800'), "/title"),
    "5,000 deep": (lambda _document: b"[" * 5000 + b"]" * 5000, ""),
    "malformed": (lambda _document: b'{"title": ', ""),
    "empty": (lambda _document: b"", ""),
    "not UTF-8": (lambda document: as_bytes(document, '"title": "', '"title": "\u00e9').decode().encode("latin-1"), ""),
    "byte order mark": (lambda document: b"\xef\xbb\xbf" + json.dumps(document).encode(), ""),
    "not an object": (lambda _document: b"[]", ""),
}


@pytest.mark.parametrize("name", BYTES)
def test_wrong_bytes(service, document, problem_of, name):
    make, pointer = BYTES[name]
    before = service.entries()
    problem = problem_of(service.file(make(document())), 422, "invalid_registration")
    assert pointer in [flaw["pointer"] for flaw in problem["errors"]]
    assert service.entries() == before


def test_a_body_of_two_megabytes(service, document, problem_of):
    before = service.entries()
    problem_of(service.file(json.dumps(document(rationale="x" * 2_000_000)).encode()), 413, "body_too_large")
    assert service.entries() == before


def test_a_wrong_content_type(service, document, problem_of):
    before = service.entries()
    answer = service.file(json.dumps(document()).encode(), **{"Content-Type": "text/yaml"})
    problem_of(answer, 415, "wrong_media_type")
    assert service.entries() == before


def agreement(document: Callable[..., dict[str, Any]], model: dict[str, Any]) -> dict[str, Any]:
    """A registration of the agreement instrument, right but for what its dataset and its model name."""
    return document(
        subject={"model": model, "dataset": DATASET},
        instrument=AGREEMENT,
        sampling={"pairs": 12, "stopping": "fixed"},
        analysis={"confidence": 0.95, "interval": "jackknife_t", "unit": "cluster", "multiplicity": "none"},
        hypotheses=[
            {
                "id": "H1",
                "primary": True,
                "statement": "Attribution and patching rank the components in opposite orders.",
                "metric": "mean_rho",
                "predict": {"op": "<", "value": 0},
            }
        ],
        kill_criteria=[],
        controls={},
        reproduction_tolerance={},
    )


@pytest.mark.parametrize("directory", ["../outside", "/etc", "a/../../b", "nowhere", "link"])
def test_a_missing_dataset_and_a_model_that_is_not_under_the_root(service, document, problem_of, directory):
    link = service.settings.model_root / "link"
    if not link.exists():
        link.symlink_to("/etc")
    model = {"kind": "local", "directory": directory, "weights_sha256": "0" * 64}
    before = service.entries()
    body = json.dumps(agreement(document, model)).encode()
    problem = problem_of(service.file(body), 422, "invalid_registration")
    assert {flaw["pointer"]: flaw["code"] for flaw in problem["errors"]} == {
        "/subject/model/directory": "unusable_model",
        "/subject/dataset/sha256": "unknown_dataset",
    }
    # Where a link leads to is not told.
    assert directory == "/etc" or "/etc" not in json.dumps(problem)
    assert service.entries() == before


def pair(number: int, **parts: Any) -> str:
    row = {
        "id": f"p{number}",
        "dimension": "safety",
        "prompt": "Why?",
        "chosen": f"Because {number}.",
        "rejected": "No.",
    }
    return json.dumps({**row, **parts})


def test_three_bad_lines_of_ten_are_named_and_none_is_imported(service, problem_of):
    lines = [pair(number) for number in range(10)]
    lines[2] = '{"id": "p2", '
    lines[5] = pair(5, chosen="No.")
    lines[8] = pair(8, colour="red")
    before = service.entries()
    answer = service.client.post(
        "/v1/datasets?name=bad",
        content="\n".join(lines).encode(),
        headers={"Content-Type": "application/jsonl", "Authorization": f"Bearer {service.ada}"},
    )
    problem = problem_of(answer, 422, "invalid_pairs")
    assert [flaw["pointer"].split("/")[1] for flaw in problem["errors"]] == ["3", "6", "9"]
    assert service.entries() == before
