"""`antedate rebuild`: every projection made anew from the log, in a fresh database."""

from __future__ import annotations

from typing import Annotated

import typer
from sqlalchemy.exc import ArgumentError, OperationalError

from app.cli.beside import copies_in, ledger_here, settings_here, signing_here
from app.cli.errors import BadInputError, CommandError
from app.cli.options import AsJson
from app.cli.output import print_json
from app.cli.remade import UNUSABLE, as_object, damage, tell_remade
from app.cli.steps import steps
from app.ledger.database import Ledger
from app.ledger.migrate import is_current
from app.ledger.rebuilding import DamagedError
from app.ledger.rebuilding import rebuild as make_anew


def rebuild(
    into: Annotated[str, typer.Option(help="URL of a migrated database with nothing in it, for the service's role.")],
    as_json: AsJson = False,
) -> None:
    """Make the ledger anew from its log, in another database.

    The log is copied as it is, everything else follows from it.
    """
    signing = signing_here()
    if signing is None:
        raise BadInputError("there is no key of this log here; name its file by ANTEDATE_SIGNING_KEY_FILE.")
    remembered = copies_in(settings_here().checkpoints)
    target = _target(into)
    try:
        with ledger_here() as ledger, steps() as tell:
            done = make_anew(ledger, target, signing.vkey, remembered, tell)
    except DamagedError as error:
        raise damage(error) from error
    except UNUSABLE as error:
        raise CommandError(f"nothing was rebuilt: {error}.") from error
    finally:
        target.dispose()
    if as_json:
        print_json(as_object(done.audited, done.waiting))
    else:
        tell_remade(done.audited, done.waiting)


def _target(url: str) -> Ledger:
    try:
        if not is_current(url):
            raise BadInputError("--into: the database is not at this version's schema; run `antedate migrate` for it.")
        return Ledger(url, pool_size=1)
    except (ArgumentError, OperationalError) as error:
        raise BadInputError("--into: give the URL of a database that answers, postgresql://…") from error
