"""The command line."""

from app.cli.application import main

__all__ = ["main"]
