"""`antedate keys`: who may write. Operators run it beside the database; it does not go through the service."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.beside import transaction
from app.cli.errors import BadInputError
from app.cli.options import AsJson
from app.cli.output import keys_table, line, print_json, result_console
from app.ledger.registrants import SCOPES, issue_key, key_list, register, revoke_key

keys = typer.Typer(help="Issue, list and revoke API keys.", no_args_is_help=True, add_completion=False)


@keys.command()
def issue(
    registrant: Annotated[str, typer.Argument(help="Who files with it: 1 to 64 of a-z, 0-9 and '-'.")],
    name: Annotated[str, typer.Option(help="How people know the registrant; kept from the first key on.")],
    scope: Annotated[list[str], typer.Option(help=f"What it may do: {', '.join(SCOPES)}. May be repeated.")],
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, once: only its hash is stored."""
    with transaction() as session:
        try:
            register(session, registrant, name)
            token = issue_key(session, registrant, scope)
        except ValueError as error:
            raise BadInputError(f"{error}.") from error
    if as_json:
        print_json({"key": token, "registrant": registrant, "scopes": scope})
    else:
        line("key", token)


@keys.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List every key by the part of it that may be shown."""
    with transaction() as session:
        known = [
            {
                "prefix": key.prefix,
                "registrant": key.registrant,
                "scopes": key.scopes,
                "created": key.created.isoformat(),
                "revoked": key.revoked and key.revoked.isoformat(),
            }
            for key in key_list(session)
        ]
    if as_json:
        print_json({"items": known})
    else:
        result_console().print(keys_table(known))


@keys.command()
def revoke(
    prefix: Annotated[str, typer.Argument(help="The part that `keys list` shows.")], as_json: AsJson = False
) -> None:
    """Revoke a key: nothing more is filed with it; what was filed stays."""
    with transaction() as session:
        revoked = revoke_key(session, prefix)
    if revoked == 0:
        raise BadInputError(f"no valid key begins with {prefix!r}; `antedate keys list` shows them.")
    if as_json:
        print_json({"revoked": prefix})
    else:
        line("revoked", prefix)
