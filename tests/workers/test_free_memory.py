import json

import pytest

from workers import free_memory
from workers.free_memory import InsufficientMemoryError


@pytest.fixture
def file(tmp_path):
    """`file(header)`: a file that begins as a safetensors file with this header does."""

    def written(header, name="model.safetensors"):
        body = header if isinstance(header, bytes) else json.dumps(header).encode()
        (tmp_path / name).write_bytes(len(body).to_bytes(8, "little") + body)
        return tmp_path / name

    return written


def tensor(*shape):
    return {"dtype": "BF16", "shape": list(shape), "data_offsets": [0, 0]}


def test_weights_are_counted_in_float32_whatever_they_are_stored_as(file):
    one = file({"a": tensor(2, 3), "b": tensor(), "__metadata__": {"format": "pt"}})
    other = file({"c": tensor(5)}, "other.safetensors")
    assert free_memory.weights_bytes([one, other]) == 4 * (6 + 1 + 5)


@pytest.mark.parametrize(
    "header", [b"{", b"[]", b'{"a":1}', b'{"a":{"shape":"x"}}', b'{"a":{"shape":[-1,"x"]}}', b"\xff"]
)
def test_what_is_no_safetensors_file_counts_nothing(file, header):
    assert free_memory.weights_bytes([file(header)]) == 0


@pytest.mark.parametrize("rest", [b"", b"1234567", b"123456789"])
def test_a_file_that_is_not_as_long_as_it_declares_counts_nothing(file, rest):
    declared = file({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})
    declared.write_bytes(declared.read_bytes() + rest)
    assert free_memory.weights_bytes([declared]) == 0


def test_a_header_longer_than_any_is_not_read(tmp_path):
    (tmp_path / "model.safetensors").write_bytes((2**60).to_bytes(8, "little"))
    assert free_memory.weights_bytes([tmp_path / "model.safetensors"]) == 0


def test_what_does_not_fit_is_told_with_what_is_needed_and_what_is_there(file, monkeypatch):
    monkeypatch.setattr(free_memory, "available_bytes", lambda: 4000)
    free_memory.require([file({"a": tensor(1000)})], 0)
    with pytest.raises(InsufficientMemoryError) as short:
        free_memory.require([file({"a": tensor(1001)})], 0)
    assert (short.value.need, short.value.have) == (4004, 4000)


def test_what_the_process_holds_already_need_not_be_found_again(file, monkeypatch):
    monkeypatch.setattr(free_memory, "available_bytes", lambda: 4000)
    held = free_memory.psutil.Process().memory_info().rss
    free_memory.require([file({"a": tensor(1000)})], held // 2)
    with pytest.raises(InsufficientMemoryError):
        free_memory.require([file({"a": tensor(1000)})], 100 * held)


@pytest.mark.parametrize(("limit", "free"), [("max", None), ("1000", 1000 - (600 - 100)), ("10", 0)])
def test_a_container_s_limit_binds_where_there_is_one(tmp_path, monkeypatch, limit, free):
    monkeypatch.setattr(free_memory, "CGROUP", tmp_path)
    whole = free_memory.available_bytes()
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    (tmp_path / "memory.current").write_text("600\n")
    (tmp_path / "memory.stat").write_text("anon 400\ninactive_file 100\n")
    found = free_memory.available_bytes()
    assert found == free if free is not None else found > whole / 2
