"""Keys and scopes: outsiders by key."""

import pytest

from app.ledger.registrants import revoke_key

WRITES = [
    "/v1/predictions",
    "/v1/datasets?name=x",
    "/v1/claims/aaaaaaaaaaaaaaaa/supersede",
    "/v1/claims/aaaaaaaaaaaaaaaa/withdraw",
]


@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer ant_short", "Bearer ant_" + "A" * 43, "Bearer é"]
)
def test_writing_takes_a_known_key(service, problem_of, path, header):
    headers = {"Content-Type": "application/json"} | ({"Authorization": header.encode()} if header is not None else {})
    answer = service.client.post(path, content=b"{}", headers=headers)
    problem_of(answer, 401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="antedate"'


@pytest.mark.parametrize("path", WRITES)
def test_the_scope_missing_is_named(service, problem_of, path):
    answer = service.client.post(path, content=b"{}", headers={"Authorization": f"Bearer {service.reader}"})
    assert problem_of(answer, 403, "scope_missing")["scope"] == "file"
    assert 'scope="file"' in answer.headers["WWW-Authenticate"]


def test_a_revoked_key_is_refused(service, problem_of):
    from app.ledger.registrants import issue_key

    with service.ledger.begin() as session:
        key = issue_key(session, "bob", ["file"])
    problem_of(service.file(b"{}", key), 422, "invalid_registration")
    with service.ledger.begin() as session:
        assert revoke_key(session, key[:10]) == 1
    problem_of(service.file(b"{}", key), 401, "unauthenticated")


def test_a_bad_key_is_refused_before_the_body_is_read(service, problem_of):
    problem_of(service.file(b"x" * 2_000_000, "ant_" + "A" * 43), 401, "unauthenticated")


def test_the_key_never_comes_back(service):
    answer = service.file(b"{}", "ant_" + "B" * 43)
    assert "B" * 43 not in answer.text + str(answer.headers)
