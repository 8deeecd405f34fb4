"""Numbers that papers and READMEs quote from the ledger: tags that bind them, and what makes a quotation right."""

from claims.quoting.comparison import Finding, Recorded, compare
from claims.quoting.tags import BadTag, Tag, tags_in

__all__ = ["BadTag", "Finding", "Recorded", "Tag", "compare", "tags_in"]
