import threading

import pytest

from app.ledger.signing import SigningKeyError, load_or_create
from claims.signed_note import verify


def test_the_key_is_made_once_for_its_owner_alone(tmp_path):
    path = tmp_path / "secrets" / "signing.key"
    first, again = load_or_create(path, "local"), load_or_create(path, "local")
    assert first.vkey == again.vkey
    assert first.vkey.startswith("antedate/local+")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["signing.key"]
    assert verify(first.sign("a text\n"), again.vkey) == "a text\n"


def test_processes_that_start_together_agree_on_one_key(tmp_path):
    keys = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        keys.append(load_or_create(tmp_path / "signing.key", "local").vkey)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(keys)) == 1


def test_a_key_that_others_may_read_is_not_used(tmp_path):
    path = tmp_path / "signing.key"
    load_or_create(path, "local")
    path.chmod(0o640)
    with pytest.raises(SigningKeyError, match="chmod 600"):
        load_or_create(path, "local")


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_file_that_holds_no_key_is_not_replaced(tmp_path, content):
    path = tmp_path / "signing.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(SigningKeyError, match="holds no private key"):
        load_or_create(path, "local")
    assert path.read_bytes() == content
