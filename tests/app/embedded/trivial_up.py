"""`antedate up` with the trivial API in place of the real one and of the workers; everything else is the real thing.

With the argument `whole` nothing is replaced.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from app.embedded.errors import EmbeddedError
from app.embedded.ports import reachable_url
from app.embedded.processes import environment, unanswered
from app.embedded.services import Service
from app.embedded.stack import Stack, our_processes, run
from app.embedded.supervisor import Stage
from app.settings import read_settings

API = Path(__file__).with_name("trivial_api.py")


def trivial(settings, directory, urls, listener):
    descriptor = listener.fileno()
    yield Stage(
        [
            Service(
                name="api",
                argv=[sys.executable, str(API), str(descriptor)],
                env=environment(directory, urls),
                unready=lambda: unanswered(reachable_url(listener) + "/readyz"),
                pass_fds=(descriptor,),
            )
        ]
    )


def announce(stack: Stack) -> None:
    said = {**asdict(stack.endpoints), "serving": stack.serving, "ended": stack.ended, "url": stack.url}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


try:
    run(read_settings(), announce, our_processes if sys.argv[1:] == ["whole"] else trivial)
except EmbeddedError as error:
    sys.exit(str(error))
