"""The service and the command line stay light: torch is for workers."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["app.main", "app.cli.list", "app.cli.up", "app.cli.watch"])
def test_neither_torch_nor_the_workers_are_imported(module):
    program = f"import {module}, sys; print(sorted({{'torch', 'transformers', 'workers'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_starts_without_what_commands_need():
    program = "import app.cli, sys; print(sorted({'httpx', 'sqlalchemy', 'fastapi', 'celery'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
