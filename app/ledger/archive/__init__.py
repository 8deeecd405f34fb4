"""A whole ledger in one file, and what its operator keeps secret in another: `docs/archive.md`."""

from app.ledger.archive.exporting import export
from app.ledger.archive.importing import Imported, import_ledger
from app.ledger.archive.members import ArchiveError
from app.ledger.archive.secret_file import write_secrets

__all__ = ["ArchiveError", "Imported", "export", "import_ledger", "write_secrets"]
