"""The OpenAPI document says what the service does."""

import pytest

from claims.instruments import catalogue


@pytest.fixture
def described(client):
    return client.get("/openapi.json").json()


def operations(described):
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_it_is_openapi_3_1_and_every_reference_resolves(described):
    assert described["openapi"].startswith("3.1")

    def check(value):
        if isinstance(value, dict):
            if "$ref" in value:
                prefix, name = value["$ref"].rsplit("/", 1)
                assert prefix == "#/components/schemas"
                assert name in described["components"]["schemas"]
            for inner in value.values():
                check(inner)
        elif isinstance(value, list):
            for inner in value:
                check(inner)

    check(described["paths"])
    check(described["components"])


def test_every_operation_names_its_problems(described):
    for name, operation in operations(described):
        assert operation["summary"], name
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                assert list(answer["content"]) == ["application/problem+json"], (name, status)
                assert answer["content"]["application/problem+json"]["examples"], (name, status)
        assert {"422", "500", "503"} <= set(operation["responses"]), name


WITHOUT_BODY = {"POST /v1/claims/{claim}/reproduce"}
SIGNED = {"POST /v1/log/cosignatures"}  # whose signature is the key


def test_writing_names_its_key_and_its_body(described):
    writes = [(name, operation) for name, operation in operations(described) if name.startswith("POST")]
    assert {"POST /v1/predictions", "POST /v1/imports"} <= {name for name, _ in writes}
    for name, operation in writes:
        assert operation.get("security") == (None if name in SIGNED else [{"key": []}]), name
        if name in WITHOUT_BODY:
            assert "requestBody" not in operation
            continue
        assert operation["requestBody"]["required"], name
        refused = {"408", "413", "415"} | (set() if name in SIGNED else {"401", "403"})
        assert refused <= set(operation["responses"]), name


def test_the_registration_is_the_models_own_schema(described):
    schema = described["components"]["schemas"]["Registration"]
    assert schema["additionalProperties"] is False
    assert "hypotheses" in schema["required"]


def test_no_page_loads_scripts_of_other_hosts(client):
    assert client.get("/docs", headers={"Accept": "*/*"}).status_code == 404
    assert client.get("/redoc", headers={"Accept": "*/*"}).status_code == 404


def test_every_instrument_is_listed_whole(client):
    items = client.get("/v1/instruments").json()["items"]
    assert [item["name"] for item in items] == sorted(catalogue())
    for item in items:
        manifest = catalogue()[item["name"]].MANIFEST
        assert [metric["name"] for metric in item["metrics"]] == [metric.name for metric in manifest.metrics]
        assert item["intervals"] == manifest.minimums()
        assert item["params"] == manifest.params
