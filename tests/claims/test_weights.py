import hashlib
import subprocess

import pytest

from claims.weights import weights_sha256


def test_one_file_has_its_own_hash(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights" * 1000)
    (tmp_path / "config.json").write_text("{}")
    assert weights_sha256(tmp_path) == hashlib.sha256(b"weights" * 1000).hexdigest()


def test_several_files_hash_as_sha256sum_lists_them(tmp_path):
    for name in ("model-00002-of-00002", "model-00001-of-00002", "Model"):
        (tmp_path / f"{name}.safetensors").write_bytes(name.encode())
    names = sorted(file.name for file in tmp_path.iterdir())
    listed = subprocess.run(["sha256sum", *names], cwd=tmp_path, check=True, capture_output=True).stdout
    assert weights_sha256(tmp_path) == hashlib.sha256(listed).hexdigest()


def test_a_renamed_or_changed_file_changes_the_hash(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.safetensors").write_bytes(name.encode())
    before = weights_sha256(tmp_path)
    (tmp_path / "b.safetensors").rename(tmp_path / "c.safetensors")
    renamed = weights_sha256(tmp_path)
    (tmp_path / "c.safetensors").write_bytes(b"c")
    assert len({before, renamed, weights_sha256(tmp_path)}) == 3


def test_no_weights(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(FileNotFoundError, match="safetensors"):
        weights_sha256(tmp_path)
