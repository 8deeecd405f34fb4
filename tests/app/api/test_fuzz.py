"""Whatever is sent, the service answers it: never a 5xx, and nothing is recorded that was refused."""

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ANSWERS = {201, 400, 409, 413, 415, 422}
RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
NUMBERS = st.integers() | st.floats()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def check(service: Any, body: bytes) -> None:
    before = service.entries()
    answer = service.file(body)
    assert answer.status_code in ANSWERS, (answer.status_code, answer.text)
    if answer.status_code != 201:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert service.entries() == before


@given(body=st.binary(max_size=400))
@RELAXED
def test_any_bytes(service, body):
    check(service, body)


@given(value=VALUES)
@RELAXED
def test_any_json(service, value):
    check(service, json.dumps(value).encode())


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


@given(data=st.data())
@RELAXED
def test_a_document_with_one_part_replaced(service, example, data):
    mutant = copy.deepcopy(example)
    *parents, last = data.draw(st.sampled_from(places(mutant)[1:]))
    holder = mutant
    for part in parents:
        holder = holder[part]
    if data.draw(st.booleans()):
        holder[last] = data.draw(VALUES)
    else:
        del holder[last]
    check(service, json.dumps(mutant).encode())


@given(
    name=st.text(max_size=40), value=st.text(max_size=40), path=st.sampled_from(["claims", "datasets", "instruments"])
)
@RELAXED
def test_any_query(service, name, value, path):
    answer = service.client.get(f"/v1/{path}", params={name: value})
    assert answer.status_code in {200, 422}, answer.text


@given(name=st.text(min_size=1, max_size=40), rest=st.sampled_from(["", "/history", "/runs", "/evidence", "/rows"]))
@RELAXED
def test_any_path(service, name, rest):
    from urllib.parse import quote

    answer = service.client.get(f"/v1/claims/{quote(name, safe='')}{rest}")
    assert answer.status_code in {200, 404}, answer.text
