"""Every program of the project, in the order of the index."""

from __future__ import annotations

from program import Program

from . import (
    algorithms,
    aliasing,
    asynchrony,
    behaviour,
    contractions,
    control,
    conversions,
    custom_calls,
    dynamism,
    elementwise,
    frameworks,
    generators,
    host,
    indexing,
    integers,
    jax_lowered,
    large,
    mathematics,
    misc,
    models,
    multi,
    rarer,
    reductions,
    refusals,
    regions,
    shapes,
    signatures,
    sized,
    targets,
    typed,
    variants,
    versions,
    views,
)

GROUPS = (
    algorithms,
    aliasing,
    asynchrony,
    behaviour,
    contractions,
    control,
    conversions,
    custom_calls,
    dynamism,
    elementwise,
    frameworks,
    generators,
    host,
    indexing,
    integers,
    jax_lowered,
    large,
    mathematics,
    misc,
    models,
    multi,
    rarer,
    reductions,
    refusals,
    regions,
    shapes,
    signatures,
    sized,
    targets,
    typed,
    variants,
    versions,
    views,
)


def catalogue() -> list[Program]:
    """All programs, sorted by name; a name used twice is an error."""
    programs = sorted((p for group in GROUPS for p in group.programs()), key=lambda p: p.name)
    names = [p.name for p in programs]
    doubled = {n for n in names if names.count(n) > 1}
    if doubled:
        raise ValueError(f"program names used twice: {sorted(doubled)}")
    return programs
