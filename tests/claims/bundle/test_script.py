"""reproduce.py as text: Python 3.10, the standard library, one file that holds one instrument's formulas."""

import ast
import sys
from collections import Counter

import pytest

from claims.bundle.script import AFTER, BEFORE, _source, formulas, instruments, script
from claims.instruments import catalogue

NAMES = [*sorted(instruments()), "no_such_instrument"]


def tops(tree: ast.Module) -> list[str]:
    named = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [each for node in assigned for each in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    return named + [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


@pytest.mark.parametrize("instrument", NAMES)
def test_it_is_python_3_10_and_imports_the_standard_library_alone(instrument):
    tree = ast.parse(script(instrument), feature_version=(3, 10))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]


@pytest.mark.parametrize("instrument", NAMES)
def test_no_two_parts_give_one_name_to_different_things(instrument):
    tree = ast.parse(script(instrument))
    imported = [
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    assert [name for name, count in Counter(tops(tree) + imported).items() if count > 1] == []


@pytest.mark.parametrize("instrument", NAMES)
def test_every_name_that_it_uses_is_its_own_or_built_in(instrument):
    """The parts import from each other; joined, nothing may be left that only an import gave."""
    compiled = compile(script(instrument), "reproduce.py", "exec")
    space: dict = {"__name__": "not_main", "__file__": "reproduce.py"}
    exec(compiled, space)
    builtins = set(dir(space["__builtins__"])) | set(space["__builtins__"])
    assert not {name for name in _globals(compiled) if name not in space and name not in builtins}


def _globals(code) -> set[str]:
    import dis

    names = {one.argval for one in dis.get_instructions(code) if one.opname in {"LOAD_GLOBAL", "LOAD_NAME"}}
    inner = [constant for constant in code.co_consts if hasattr(constant, "co_code")]
    return names.union(*map(_globals, inner)) - {"__module__", "__qualname__", "__annotations__"}


def test_only_the_instruments_own_formulas_are_in_it():
    others = instruments() - {"planted_key_recovery"}
    text = script("planted_key_recovery").decode()
    assert "# --- planted_key_recovery " in text
    assert not [name for name in others if f"# --- {name} " in text]
    assert "sys.exit(main(recompute))" in text
    assert "sys.exit(main(None))" in script("no_such_instrument").decode()
    assert formulas("no_such_instrument") is None


def test_every_line_of_every_part_but_imports_is_in_it():
    lines = set(script("planted_key_recovery").decode().splitlines())
    for part in (*BEFORE, "instruments.planted_key_recovery", *AFTER):
        for node in ast.parse(_source(part)).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                own = _source(part).splitlines()[node.lineno - 1 : node.end_lineno]
                assert set(own) <= lines, (part, node.name)


def test_every_instrument_has_its_formulas():
    assert set(catalogue()) <= instruments()
