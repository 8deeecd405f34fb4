"""What HTTP asks of every address alike."""

import asyncio
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from starlette.types import Message

from app.api.protocol import bodies
from app.main import create_app

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/claims/", "/v1/nothing", "/docs", "/redoc", "/v1/%2e%2e/x"])
def test_unknown_route(client, problem_of, path):
    problem_of(client.get(path), 404, "unknown_route")


def test_a_browser_gets_a_page_for_an_unknown_route(client):
    answer = client.get("/nothing", headers={"Accept": "text/html,*/*"})
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/v1/claims", "GET, HEAD, OPTIONS"),
        ("PUT", "/v1/datasets", "GET, HEAD, OPTIONS, POST"),
        ("GET", "/v1/predictions", "OPTIONS, POST"),
        ("HEAD", "/v1/predictions", "OPTIONS, POST"),
        ("BREW", "/healthz", "GET, HEAD, OPTIONS"),
    ],
)
def test_method_not_allowed_names_every_method(client, method, path, allow):
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["Allow"] == allow
    if method != "HEAD":
        assert answer.json()["type"] == "/problems/method_not_allowed"


def test_options(client):
    answer = client.options("/v1/datasets")
    assert answer.status_code == 204
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert answer.content == b""
    assert client.options("/nothing").status_code == 404


@pytest.mark.parametrize("path", ["/v1/claims", "/healthz", "/v1/log/key", "/nothing", "/v1/claims/aaaaaaaaaaaaaaaa"])
def test_head_is_get_without_the_body(client, path):
    got, head = client.get(path), client.head(path)
    assert head.status_code == got.status_code
    assert head.headers["Content-Type"] == got.headers["Content-Type"]
    assert head.headers["Content-Length"] == got.headers["Content-Length"]
    assert head.content == b""


def test_head_over_real_http_leaves_the_connection_usable(listening):
    with httpx2.Client(base_url=listening) as client:
        for path in ("/v1/claims", "/v1/log/key", "/nothing", "/v1/claims"):
            assert client.head(path).content == b""
            assert client.get(path).content


def test_a_body_that_is_too_large_is_refused_over_real_http(listening, service):
    headers = {**JSON, "Authorization": f"Bearer {service.ada}"}
    with httpx2.Client(base_url=listening, headers=headers) as client:
        for content in (b"x" * 3_000_000, iter([b"x" * 100_000] * 30)):
            assert client.post("/v1/predictions", content=content).json()["type"] == "/problems/body_too_large"


def test_every_answer_forbids_guessing_its_type(client):
    assert {client.get(path).headers["X-Content-Type-Options"] for path in ("/healthz", "/nothing", "/v1/claims")} == {
        "nosniff"
    }


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("colour=red", "/colour", "unknown_parameter"),
        ("limit=1&limit=2", "/limit", "repeated_parameter"),
        ("limit=0", "/limit", "invalid_parameter"),
        ("limit=201", "/limit", "invalid_parameter"),
        ("limit=many", "/limit", "invalid_parameter"),
        ("status=splendid", "/status/0", "invalid_parameter"),
        ("status=", "/status/0", "invalid_parameter"),
        ("superseded=perhaps", "/superseded", "invalid_parameter"),
        ("q=", "/q", "invalid_parameter"),
        ("q=a%00b", "/q", "control_character"),
        ("cursor=nonsense", "/cursor", "bad_cursor"),
        ("model=a,,b", "/model/1", "invalid_parameter"),
    ],
)
def test_a_query_is_never_ignored(client, problem_of, query, pointer, code):
    problem = problem_of(client.get(f"/v1/claims?{query}"), 422, "invalid_query")
    assert [(flaw["pointer"], flaw["code"]) for flaw in problem["errors"]] == [(pointer, code)]


def test_a_flood_of_parameters_gets_a_short_answer(client, problem_of):
    repeated = client.get("/v1/claims?" + "q=a&" * 10_000)
    assert len(problem_of(repeated, 422, "invalid_query")["errors"]) == 1
    many = client.get("/v1/claims?" + "&".join(f"x{number}=1" for number in range(5_000)))
    codes = [flaw["code"] for flaw in problem_of(many, 422, "invalid_query")["errors"]]
    assert codes == ["unknown_parameter"] * 20 + ["too_many_flaws"]
    wrong = problem_of(client.get("/v1/claims?status=" + "no," * 5_000), 422, "invalid_query")["errors"]
    assert [flaw["code"] for flaw in wrong] == ["invalid_parameter"] * 20 + ["too_many_flaws"]


@pytest.mark.parametrize("path", ["/healthz", "/v1/instruments", "/v1/log/key", "/v1/claims/aaaaaaaaaaaaaaaa"])
def test_addresses_without_parameters_take_none(client, problem_of, path):
    problem_of(client.get(f"{path}?verbose=1"), 422, "invalid_query")


def test_a_query_must_be_utf8(client, problem_of):
    problem_of(client.get("/v1/claims?q=%ff"), 400, "bad_request")


@pytest.mark.parametrize("name", ["x", "A" * 16, "a" * 21, "%00" * 12, "%ff" * 12, "..%2f..%2fetc", "é" * 12])
@pytest.mark.parametrize("kind", ["claims", "runs", "datasets"])
def test_a_name_without_its_form_is_not_found(client, kind, name):
    answer = client.get(f"/v1/{kind}/{name}")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("name", ["Authorization", "Content-Encoding", "Content-Type", "Idempotency-Key"])
def test_a_header_that_stands_once_is_refused_twice(service, problem_of, name):
    sent = {**JSON, "Authorization": f"Bearer {service.ada}", "Content-Encoding": "identity", "Idempotency-Key": "k"}
    twice = [*sent.items(), (name.lower(), sent[name])]
    problem = problem_of(service.client.post("/v1/predictions", content=b"{}", headers=twice), 400, "bad_request")
    assert name in problem["detail"]


@pytest.mark.parametrize("path", ["/v1/claims%0a", "/healthz%0a", "/claims%0A", "/v1/claims/aaaaaaaaaaaaaaaa%0a"])
def test_a_line_break_is_part_of_a_path(client, problem_of, path):
    problem_of(client.get(path), 404, "unknown_route")


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip", "zstd"])
def test_compressed_bodies_are_refused_unread(service, problem_of, encoding):
    problem_of(service.file(b"\x1f\x8b", **{"Content-Encoding": encoding}), 415, "wrong_content_encoding")


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "application/json; v=1",
        "application/json; charset=utf-8; charset=latin-1",
        'application/json; charset="utf-8',
    ],
)
def test_media_type(service, problem_of, kind):
    problem_of(service.file(b"{}", **{"Content-Type": kind}), 415, "wrong_media_type")


@pytest.mark.parametrize(
    "kind",
    ["application/json", "Application/JSON; charset=UTF-8", 'application/json ;Charset="utf-8"', "application/json;"],
)
def test_media_type_is_read_as_http_writes_it(service, problem_of, kind):
    problem_of(service.file(b"{}", **{"Content-Type": kind}), 422, "invalid_registration")


def test_an_oversized_body_is_refused_by_its_length_and_while_it_streams(service, problem_of):
    large = b"x" * (bodies.MIB + 1)
    assert problem_of(service.file(large), 413, "body_too_large")["limit"] == bodies.MIB
    chunked = service.file(iter([large[:100]] * 20_000))
    assert "Content-Length" not in chunked.request.headers
    problem_of(chunked, 413, "body_too_large")


def test_a_body_of_the_very_limit_is_read(service, problem_of):
    body = b'{"a":"' + b"x" * (bodies.MIB - 8) + b'"}'
    assert len(body) == bodies.MIB
    problem_of(service.file(body), 422, "invalid_registration")


class Asked:
    """One request straight into the application: what a test client would not let us send."""

    def __init__(self, app: Any, path: str, headers: dict[str, str], method: str = "POST") -> None:
        self.app = app
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        self.scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
                      "headers": raw, "scheme": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1),
                      "http_version": "1.1", "root_path": ""}  # fmt: skip
        self.sent: list[Message] = []

    def answer(self, receive: Any) -> int | None:
        async def send(message: Message) -> None:
            self.sent.append(message)

        asyncio.run(self.app(self.scope, receive, send))
        return self.sent[0]["status"] if self.sent else None


def test_a_slow_body_is_given_up(service, monkeypatch):
    monkeypatch.setattr("asyncio.timeout", lambda _seconds, given=asyncio.timeout: given(0.05))
    headers = {**JSON, "Authorization": f"Bearer {service.ada}"}
    asked = Asked(service.client.app, "/v1/predictions", headers)

    async def drip() -> Message:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b" ", "more_body": True}

    assert asked.answer(drip) == 408
    assert (b"connection", b"close") in asked.sent[0]["headers"]
    assert b"/problems/body_too_slow" in asked.sent[1]["body"]


def test_head_sends_no_body_and_the_server_still_knows_that_it_was_asked(client):
    asked = Asked(client.app, "/healthz", {}, method="HEAD")

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    assert asked.answer(nothing) == 200
    assert asked.scope["method"] == "HEAD"
    assert b"".join(message.get("body", b"") for message in asked.sent) == b""


def test_a_client_that_goes_away_is_not_answered(service):
    asked = Asked(service.client.app, "/v1/predictions", {**JSON, "Authorization": f"Bearer {service.ada}"})

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    assert asked.answer(gone) is None


def test_a_fault_is_a_problem_with_an_id_and_without_a_trace(settings, problem_of):
    app = create_app(settings)
    app.add_api_route("/v1/fault", lambda: 1 / 0)
    problem = problem_of(TestClient(app).get("/v1/fault"), 500, "internal_error")
    assert len(problem["id"]) == 16
    assert "ZeroDivisionError" not in str(problem)
    app.state.ledger.dispose()


def test_a_database_that_is_away_is_a_503(settings, problem_of):
    away = settings.model_copy(update={"database_url": "postgresql+psycopg://nobody@127.0.0.1:1/nothing"})
    client = TestClient(create_app(away))
    answer = client.get("/v1/claims")
    problem_of(answer, 503, "unavailable")
    assert answer.headers["Retry-After"] == "5"
    assert "127.0.0.1" not in answer.json()["detail"]


def test_a_logged_fault_tells_its_trace_but_no_values(settings, capsys):
    def fault() -> None:
        secret = "ant_" + "S" * 43
        raise RuntimeError(len(secret))

    app = create_app(settings)
    app.add_api_route("/v1/fault", fault)
    failure = TestClient(app).get("/v1/fault").json()["id"]
    logged = capsys.readouterr().err
    assert failure in logged
    assert "RuntimeError: 47" in logged
    assert "S" * 43 not in logged
    app.state.ledger.dispose()
