import hashlib
import subprocess
from pathlib import Path

import pytest

from claims.instrument_source import ROOT, source_files, source_sha256
from claims.instruments import catalogue

FILES = {
    "claims/__init__.py": "",
    "claims/instruments/__init__.py": "",
    "claims/instruments/ruler.py": "import json\nfrom claims import lengths\nfrom claims.notches import depth\n",
    "claims/lengths.py": "def long():\n    from claims.deep.inner import thing\n",
    "claims/notches.py": "depth = 1\n",
    "claims/deep/__init__.py": "",
    "claims/deep/inner.py": "from . import beside\n",
    "claims/deep/beside.py": "from ..round import trip\n",
    "claims/round.py": "import claims.lengths\n",
    "claims/unrelated.py": "",
    "workers/__init__.py": "",
    "workers/instruments/__init__.py": "",
    "workers/instruments/ruler.py": "import torch\nif True:\n    import workers.gauge\n",
    "workers/gauge.py": "from app.ledger import runs\n",
    "workers/unrelated.py": "",
    "app/ledger/runs.py": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, source in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    return tmp_path


def test_both_halves_and_all_of_ours_that_they_import(tree):
    names = [file.relative_to(tree).as_posix() for file in source_files("ruler", tree)]
    assert names == sorted(set(FILES) - {"claims/unrelated.py", "workers/unrelated.py", "app/ledger/runs.py"})


def test_the_hash_is_what_sha256sum_gives(tree):
    names = [file.relative_to(tree).as_posix() for file in source_files("ruler", tree)]
    listed = subprocess.run(["sha256sum", *names], cwd=tree, check=True, capture_output=True).stdout
    assert source_sha256("ruler", tree) == hashlib.sha256(listed).hexdigest()


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_change_in_what_is_imported_and_in_nothing_else_changes_the_hash(tree, name):
    before = source_sha256("ruler", tree)
    (tree / name).write_text(FILES[name] + "# changed\n")
    unrelated = "unrelated" in name or name.startswith("app")
    assert (source_sha256("ruler", tree) == before) == unrelated


def test_a_missing_half(tree):
    (tree / "workers/instruments/ruler.py").unlink()
    with pytest.raises(FileNotFoundError):
        source_sha256("ruler", tree)


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_every_instrument_of_ours_has_a_source(name):
    names = {file.relative_to(ROOT).as_posix() for file in source_files(name)}
    assert {f"claims/instruments/{name}.py", f"workers/instruments/{name}.py", "claims/registration/model.py"} <= names
    assert not any(file.startswith("app/") for file in names)


def test_nothing_is_imported_to_hash_it(tree):
    (tree / "claims/notches.py").write_text("raise SystemExit('imported')\n")
    assert source_sha256("ruler", tree)
