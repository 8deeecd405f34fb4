"""`claims` is what a verifier installs: it may not need a web framework, a database or torch."""

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import claims
from claims.flaws import FLAW_CODES

PACKAGE = Path(claims.__file__).parent
FORBIDDEN = (
    "torch",
    "transformers",
    "fastapi",
    "starlette",
    "sqlmodel",
    "sqlalchemy",
    "psycopg",
    "celery",
    "redis",
    "app",
    "workers",
)


def test_importing_every_module_brings_in_none_of_them():
    modules = [info.name for info in pkgutil.walk_packages(claims.__path__, "claims.")]
    assert len(modules) > 20
    script = f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    assert not set(FORBIDDEN) & {name.partition(".")[0] for name in loaded}


def test_every_code_of_a_flaw_is_documented_and_every_documented_code_is_used():
    words: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Flaw":
                code = node.args[1]
                if isinstance(code, ast.Constant):
                    assert code.value in FLAW_CODES, f"{file.name}:{node.lineno}"
        if file.name != "flaws.py":
            words |= {
                node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    assert set(FLAW_CODES) <= words, sorted(set(FLAW_CODES) - words)
    assert all(meaning.endswith(".") for meaning in FLAW_CODES.values())
