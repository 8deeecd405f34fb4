"""The name of a machine: the same for as long as it is, and telling nothing of it."""

import re

import pytest

from workers.source import machine

ID = "0123456789abcdef" * 2


def test_a_machine_has_a_name_that_tells_neither_its_id_nor_its_host(tmp_path, monkeypatch):
    file = tmp_path / "machine-id"
    file.write_text(f"{ID}\n")
    name = machine(file)
    assert re.fullmatch(r"[0-9a-f]{64}", name)
    assert ID not in name
    assert machine(file) == name
    monkeypatch.setattr("socket.gethostname", lambda: "another")
    assert machine(file) == name, "a machine that is renamed is the same machine"
    file.write_text("f" * 32)
    assert machine(file) != name


@pytest.mark.parametrize("content", [None, b"", b"uninitialized\n", b"../etc\n", b"\xff" * 32, b"0" * 33])
def test_without_a_machine_id_the_host_stands_for_the_machine(tmp_path, monkeypatch, content):
    file = tmp_path / "machine-id"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr("socket.gethostname", lambda: "one")
    name = machine(file)
    monkeypatch.setattr("socket.gethostname", lambda: "two")
    assert machine(file) != name
    monkeypatch.setattr("socket.gethostname", lambda: ID)
    (tmp_path / "id").write_text(ID)
    assert machine(file) != machine(tmp_path / "id"), "a host named like a machine-id is not that machine"


@pytest.mark.parametrize("host", ["", "localhost", "localhost.localdomain"])
def test_a_name_that_many_machines_have_is_none(tmp_path, monkeypatch, host):
    monkeypatch.setattr("socket.gethostname", lambda: host)
    assert machine(tmp_path / "none") is None
