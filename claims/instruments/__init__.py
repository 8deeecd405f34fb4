"""Every instrument's torch-free half, found by looking: a new one is a file here and nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import MappingProxyType
from typing import cast

from claims.instruments.manifest import Instrument


@cache
def catalogue() -> MappingProxyType[str, Instrument]:
    """The instruments by name: the modules of this package that hold a MANIFEST."""
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    instruments = [cast("Instrument", module) for module in modules if hasattr(module, "MANIFEST")]
    return MappingProxyType({instrument.MANIFEST.name: instrument for instrument in instruments})
