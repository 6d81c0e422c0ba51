"""Every model, with the types it is offered in."""

from __future__ import annotations

from dataclasses import replace

import draws
import scale
import sequences
import training
from model import Model

# Models that are also offered in bf16. Not those with a maximum pool: a rounded activation may move its gradient elsewhere.
MIXED = ("mlp_step", "transformer_block", "attention")


def models() -> list[Model]:
    """One model for each type, named `<name>_<type>` where there are two."""
    made = []
    for model in (m for module in (training, sequences, scale, draws) for m in module.models()):
        if model.name not in MIXED:
            made.append(model)
            continue
        made.append(replace(model, name=f"{model.name}_f32"))
        made.append(
            replace(
                model,
                name=f"{model.name}_bf16",
                about=f"{model.about}; parameters and results in bf16",
                inside="bf16",
                arguments=[as_type(a, "bf16") for a in model.arguments],
            )
        )
    return made


def as_type(data: dict, dtype: str) -> dict:
    """Floating-point data in another type; all of it is exact in bf16."""
    ((kind, given),) = data.items()
    return {kind: {**given, "dtype": dtype}} if given["dtype"] == "f32" else data
