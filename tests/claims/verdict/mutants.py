"""Every change that mutmut makes to a function of `claims/verdict`: `make mutants`. Minutes, in a temporary copy.

Ends with 1 where the tests let one pass that is not among the equivalent ones, or where one of those is gone.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
COPIED = ("app", "claims", "docs/verdict.md", "pyproject.toml", "tests/conftest.py", "tests/claims/conftest.py")
# The changes in test_mutations.py are to files as they are, and mutmut's hold every mutant at once.
SETTINGS = """
[tool.mutmut]
source_paths = ["claims"]
only_mutate = ["claims/verdict/*"]
also_copy = ["app", "docs", "tests"]
pytest_add_cli_args = ["-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = ["tests/claims/verdict", "--ignore=tests/claims/verdict/test_mutations.py"]
"""
# By which hypothesis draws the same cases every time, so that the same mutants survive.
ENVIRONMENT = {**os.environ, "CI": "true", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Change:
    """A function of the rule, and the lines of it that were changed, before and after."""

    function: str
    before: str
    after: str


def main() -> int:
    reviewed = _reviewed()
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory)
        _copy_to(copy)
        subprocess.run([_mutmut(), "run"], cwd=copy, env=ENVIRONMENT, check=True)
        statuses = dict(_statuses(copy))
        passed = {_change(copy, name): status for name, status in statuses.items() if status != "killed"}
    counts = Counter(statuses.values())
    print(f"{len(statuses)} mutants: {', '.join(f'{count} {status}' for status, count in counts.most_common())}")
    for change in sorted(passed.keys() - reviewed, key=str):
        print(f"{passed[change]}, and not reviewed: {change}")
    for change in sorted(reviewed - passed.keys(), key=str):
        print(f"reviewed as equivalent, and killed or gone: {change}")
    return int(not statuses or passed.keys() != reviewed)


def _reviewed() -> set[Change]:
    listed = tomllib.loads((HERE / "equivalent_mutants.toml").read_text(encoding="utf-8"))["mutant"]
    assert all(one["reason"] for one in listed)
    return {Change(one["function"], one["before"], one["after"]) for one in listed}


def _copy_to(copy: Path) -> None:
    for name in (*COPIED, HERE.relative_to(ROOT).as_posix()):
        source, target = ROOT / name, copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    with (copy / "pyproject.toml").open("a", encoding="utf-8") as project:
        project.write(SETTINGS)


def _statuses(copy: Path) -> Iterator[tuple[str, str]]:
    """Every mutant by the name that mutmut gives it, with what became of it."""
    for line in _told(copy, "results", "--all", "true").splitlines():
        name, _, status = line.strip().partition(": ")
        yield name, status


def _change(copy: Path, name: str) -> Change:
    diff = _told(copy, "show", name).splitlines()
    lines = [line for line in diff if line[:1] in {"-", "+"} and line[:3] not in {"---", "+++"}]
    before, after = ("\n".join(line[1:].strip() for line in lines if line[0] == side) for side in "-+")
    return Change(name.rpartition("__mutmut_")[0], before, after)


def _told(copy: Path, *command: str) -> str:
    return subprocess.run([_mutmut(), *command], cwd=copy, check=True, capture_output=True, text=True).stdout


def _mutmut() -> str:
    return str(Path(sys.executable).with_name("mutmut"))


if __name__ == "__main__":
    sys.exit(main())
