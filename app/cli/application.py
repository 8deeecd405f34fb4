"""The command `antedate`: its sub-commands by name, each loaded only when it is run."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.metadata import entry_points, version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from app.cli.errors import CommandError

# Where each command lives and what it does; the words are also the first line of its own help.
COMMANDS = {
    "up": ("app.cli.up:up", "Start the whole service on this machine and keep it running."),
    "check": ("app.cli.check:check", "Check a design before it is filed: what can it decide? Nothing is recorded."),
    "file": ("app.cli.file:file", "File a prediction from a YAML or JSON file."),
    "watch": ("app.cli.watch:watch", "Follow a claim to its verdict."),
    "show": ("app.cli.show:show", "Show one claim: what was predicted and what came out."),
    "list": ("app.cli.list:list_claims", "List claims, newest first."),
    "keys": ("app.cli.keys:keys", "Issue, list and revoke API keys."),
    "migrate": ("app.cli.migrate:migrate", "Bring the database to this version's schema."),
    "forecast": (
        "app.cli.forecast:forecast",
        "Forecast somebody else's claim before it is opened, and tell the forecast after.",
    ),
    "lint": ("app.cli.lint:lint", "Check that the numbers a text quotes are what the ledger holds."),
    "verify": (
        "app.cli.verify:verify",
        "Check a claim without trusting the service: its proofs, its figures, its verdict.",
    ),
    "audit": ("app.cli.audit:audit", "Check the whole ledger: log, documents, verdicts, proofs and tables."),
    "rebuild": ("app.cli.rebuild:rebuild", "Make the ledger anew from its log, in another database."),
    "export": ("app.cli.export:export", "Write the whole ledger into one archive."),
    "import": ("app.cli.import_:import_", "Put the ledger of an archive into an empty database."),
    "upload": ("app.cli.upload:upload", "Upload a file of preference pairs."),
}
EXTENSIONS = "antedate.commands"


class Deferred(TyperCommand):
    """A command whose module is imported when it is run or asked for its help, not before."""

    def __init__(self, name: str, target: str, summary: str) -> None:
        super().__init__(name, help=summary)
        self.target = target

    def make_context(  # the types are those of typer's own copy of click, which has no public name
        self,
        info_name: str | None,
        args: list[str],
        parent: Any = None,  # noqa: ANN401
        **extra: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        return self.load().make_context(info_name, args, parent=parent, **extra)

    def load(self) -> Any:  # noqa: ANN401
        """The command itself; the context it makes knows it, so nothing of this stand-in is left."""
        module, _, function = self.target.partition(":")
        try:
            found = getattr(import_module(module), function)
        except ModuleNotFoundError as error:
            missing = f"`antedate {self.name}` needs {error.name}, which is not installed: install antedate[worker]."
            raise CommandError(missing) from error
        if isinstance(found, typer.Typer):
            return typer.main.get_group(found)
        holder = typer.Typer(add_completion=False)
        holder.command(self.name)(found)
        return typer.main.get_command(holder)


def antedate(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Freeze a prediction before the data exists; the ledger says how it came out."""
    if show_version:
        typer.echo(version("antedate"))
        raise typer.Exit


def command() -> TyperGroup:
    """The command with everything below it, the worker's commands among it where they are installed."""
    root = typer.Typer(add_completion=False, no_args_is_help=True, invoke_without_command=True)
    root.callback()(antedate)
    group = typer.main.get_group(root)
    for name, (target, summary) in COMMANDS.items():
        group.add_command(Deferred(name, target, summary))
    for point in sorted(entry_points(group=EXTENSIONS), key=lambda point: point.name):
        summary = f"The command `{point.name}` of the package {point.module.partition('.')[0]}."
        group.add_command(Deferred(point.name, point.value, summary))
    return group


def main() -> None:
    """Run the command line. Whatever goes wrong is told in words; a stack trace is never shown."""
    try:
        command()(prog_name="antedate")
    except CommandError as error:
        typer.echo(f"antedate: {error}", err=True)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001 - the last resort: one line that a report of the fault can quote
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename}:{place.lineno}"
        typer.echo(f"antedate: a fault of ours, please report it: {type(error).__name__}: {error} ({where})", err=True)
        sys.exit(1)
