"""Model organisms: reward models made by the run from its seeds, with the answer known by construction."""

import workers.models  # noqa: F401  # the door through which torch is imported
