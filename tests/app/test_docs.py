"""What people can meet is documented: every problem, code, address, parameter, command and exit code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.application import COMMANDS, EXTENSIONS
from app.cli.errors import OUTCOME_CODES, CommandError
from app.errors import SERVICE_FLAW_CODES, problem_types
from app.ledger.registrants import SCOPES
from app.settings import Settings, variable
from claims.flaws import FLAW_CODES
from claims.instruments import catalogue
from claims.registration.model import Part

ROOT = Path(__file__).parents[2]
PROBLEMS, API, CLI, OPERATING, REGISTRATION = (
    (ROOT / "docs" / f"{name}.md").read_text() for name in ("problems", "api", "cli", "operating", "registration")
)
WORDS = FLAW_CODES | SERVICE_FLAW_CODES


@pytest.mark.parametrize("problem", list(problem_types()), ids=lambda problem: problem.code)
def test_every_problem_has_its_heading_status_and_remedy(problem):
    section = PROBLEMS.partition(f"\n## {problem.code}\n")[2].partition("\n## ")[0]
    assert section.strip().startswith(f"{problem.status.value}. {problem.title}.")
    assert f"What to do: {problem.remedy}" in section


@pytest.mark.parametrize("code", sorted(WORDS))
def test_every_code_of_an_offending_place_is_explained(code):
    assert f"| `{code}` | {WORDS[code]} |" in PROBLEMS


def codes_of_flaws() -> Iterator[tuple[str, str]]:
    """Every code that a `Flaw` is made with as a literal, with where."""
    for package in ("app", "claims"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Flaw"
                if named and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
                    yield str(node.args[1].value), f"{path.relative_to(ROOT)}:{node.lineno}"


def test_no_flaw_has_a_code_of_its_own():
    assert {code: where for code, where in codes_of_flaws() if code not in WORDS} == {}


def test_every_address_and_parameter_is_documented(client):
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            assert f"`{method.upper()} {path}" in API, f"{method} {path}"
            for parameter in operation.get("parameters", []):
                assert parameter["in"] == "path" or f"`{parameter['name']}`" in API or f"{parameter['name']}=" in API


def test_every_scope_is_documented():
    for scope in SCOPES:
        assert f"`{scope}`" in API


def test_every_command_is_documented():
    from importlib.metadata import entry_points

    for name in [*COMMANDS, *(point.name for point in entry_points(group=EXTENSIONS))]:
        assert f"| `antedate {name}" in CLI, name


def test_every_exit_code_is_documented():
    codes = {
        *OUTCOME_CODES.values(),
        CommandError.exit_code,
        *(kind.exit_code for kind in CommandError.__subclasses__()),
    }
    for code in codes:
        assert f"| {code} |" in CLI


def test_every_setting_is_documented():
    for field in Settings.model_fields:
        assert f"`{variable(field)}`" in OPERATING, field


def test_every_key_of_a_registration_is_documented():
    for part in Part.__subclasses__():
        for name, field in part.model_fields.items():
            assert re.search(rf"\b{field.alias or name}\b", REGISTRATION), f"{part.__name__}.{name}"


def test_every_instrument_has_its_page():
    for name, instrument in catalogue().items():
        page = (ROOT / "docs" / "instruments" / f"{name}.md").read_text()
        for metric in instrument.MANIFEST.metrics:
            assert metric.name.removesuffix("_constructed") in page, metric.name
