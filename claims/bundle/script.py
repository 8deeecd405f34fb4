"""`reproduce.py` of a bundle: the parts in `claims.bundle.reproduce`, joined to one file that needs nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.resources import files

from claims.bundle.reproduce.figures import Recompute

PACKAGE = "claims.bundle.reproduce"
BEFORE = ("ranks", "cells")
AFTER = ("files", "ed25519", "notes", "proofs", "record", "checks", "figures", "main")
FUTURE = "from __future__ import annotations"


def formulas(instrument: str) -> Recompute | None:
    """What recomputes the instrument's figures; None for an instrument without a part of its own."""
    if instrument not in instruments():
        return None
    recompute: Recompute = import_module(f"{PACKAGE}.instruments.{instrument}").recompute
    return recompute


@cache
def instruments() -> frozenset[str]:
    """The instruments that have a part."""
    found = files(PACKAGE).joinpath("instruments").iterdir()
    return frozenset(each.name.removesuffix(".py") for each in found if each.name.endswith(".py")) - {"__init__"}


@cache
def script(instrument: str) -> bytes:
    """The text of `reproduce.py`: the shared parts, and that instrument's own alone, so that others never change it."""
    own = [f"instruments.{instrument}"] if instrument in instruments() else []
    parts = [(name, _source(name)) for name in (*BEFORE, *own, *AFTER)]
    call = "recompute" if own else "None"
    blocks = [
        "#!/usr/bin/env python3",
        ast.get_docstring(ast.parse(_source("main")), clean=False) or "",
        FUTURE,
        "\n".join(_imports(source for _, source in parts)),
        *(_body(name, source) for name, source in parts),
        f'if __name__ == "__main__":\n    sys.exit(main({call}))',
    ]
    blocks[1] = f'"""{blocks[1]}"""'
    return ("\n\n".join(blocks) + "\n").encode()


def _source(name: str) -> str:
    path = files(PACKAGE)
    *folders, last = name.split(".")
    for folder in folders:
        path = path.joinpath(folder)
    return path.joinpath(f"{last}.py").read_text(encoding="utf-8")


def _imports(sources: Iterable[str]) -> list[str]:
    """The imports of these parts that are not of other parts, each module once."""
    modules: set[str] = set()
    names: dict[str, set[str]] = {}
    for node in (node for source in sources for node in ast.parse(source).body):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module != "__future__" and not _is_ours(node):
            names.setdefault(node.module, set()).update(alias.name for alias in node.names)
    plain = [f"import {module}" for module in sorted(modules)]
    return plain + [f"from {module} import {', '.join(sorted(each))}" for module, each in sorted(names.items())]


def _is_ours(node: ast.ImportFrom) -> bool:
    return (node.module or "").startswith(PACKAGE)


def _body(name: str, source: str) -> str:
    """The part without its imports, its docstring a comment above it."""
    tree, lines = ast.parse(source), source.splitlines()
    docstring = (ast.get_docstring(tree) or "").splitlines()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) or node is tree.body[0]:
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    about = [f"# --- {name.rpartition('.')[2]} ".ljust(100, "-"), *(f"# {line}".rstrip() for line in docstring)]
    return "\n".join(about) + "\n\n\n" + "\n".join(lines).strip("\n")
