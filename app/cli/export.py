"""`antedate export`: a whole ledger in one file, beside the database."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from app.cli.beside import ledger_here, signing_here
from app.cli.errors import BadInputError, DamagedLedgerError
from app.cli.options import AsJson
from app.cli.output import line, print_json
from app.cli.steps import steps
from app.cli.whole_file import READABLE, SECRET, refuse_existing, whole_file
from app.ledger.archive import ArchiveError, write_secrets
from app.ledger.archive import export as write_archive
from app.ledger.blobs import BlobError
from app.ledger.rebuilding import one_moment

SecretsOption = Annotated[
    Path | None,
    typer.Option(help="Also write nonces, registrants and hashes of keys, to this file that only you may read."),
]


def export(
    file: Annotated[Path, typer.Argument(help="The archive to write; nothing may be there yet.")],
    secrets: SecretsOption = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole ledger into one archive.

    The same ledger gives the same bytes. The log's private key is never in it.
    """
    signing = signing_here()
    if signing is None:
        raise BadInputError("there is no key of this log here; name its file by ANTEDATE_SIGNING_KEY_FILE.")
    refuse_existing(file)
    apart = nullcontext() if secrets is None else whole_file(secrets, SECRET)
    try:
        with (
            ledger_here() as ledger,
            one_moment(ledger) as session,
            steps() as tell,
            apart as secret,
            whole_file(file, READABLE) as archive,
        ):
            about = write_archive(session, signing.vkey, archive, tell)
            if secret is not None:
                write_secrets(session, about, secret)
    except (ArchiveError, BlobError) as error:
        raise DamagedLedgerError(f"the ledger is damaged, and nothing was written: {error}.") from error
    if as_json:
        kept = None if secrets is None else str(secrets)
        print_json({"archive": str(file), "secrets": kept, "entries": about.size, "root": about.root.hex()})
    else:
        line("archive", str(file))
        line("entries", str(about.size))
        line("root", about.root.hex())
