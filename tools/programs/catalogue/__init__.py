"""Every program of the project, in the order of the index."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from program import Program


def catalogue() -> list[Program]:
    """All programs of the modules here, sorted by name; a name used twice is an error."""
    groups = [import_module(f".{module.name}", __name__) for module in pkgutil.iter_modules(__path__)]
    programs = sorted((p for group in groups for p in group.programs()), key=lambda p: p.name)
    names = [p.name for p in programs]
    doubled = {n for n in names if names.count(n) > 1}
    if doubled:
        raise ValueError(f"program names used twice: {sorted(doubled)}")
    return programs
