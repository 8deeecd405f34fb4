"""`python -m app.embedded.watcher DIRECTORY`: waits until its supervisor is gone, then ends what that started.

It holds the directory's lock through a descriptor inherited from the supervisor, so that the next start waits for it.
"""

import signal
import sys
from pathlib import Path

from app.embedded.directories import locate
from app.embedded.leftovers import end_leftovers


def main(root: str) -> None:
    # Whoever stops a whole process tree politely must not stop the one that cleans up after it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    for name in end_leftovers(locate(Path(root), servers=False)):
        print(f"ended {name}, left by a supervisor that was killed", flush=True)  # noqa: T201 - this is its log


if __name__ == "__main__":
    main(sys.argv[1])
