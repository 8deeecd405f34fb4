"""The suite leaves alone what the environment of whoever runs it names."""

import os
import subprocess
import sys
from pathlib import Path

NAMES = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "ANTEDATE_DATA")


def test_no_server_of_the_environment_is_named():
    assert [name for name in NAMES if name in os.environ] == []


def test_nor_when_the_environment_names_some():
    theirs = dict.fromkeys(NAMES, "postgresql://127.0.0.1:1/theirs")
    command = [sys.executable, "-m", "pytest", "-q", f"{__file__}::test_no_server_of_the_environment_is_named"]
    root, env = Path(__file__).parents[1], {**os.environ, **theirs}
    done = subprocess.run(command, env=env, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
