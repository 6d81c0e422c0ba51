"""model: programs of the size at which models run, lowered from JAX; tools/models has their functions and their results."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "models"))

import bindings  # noqa: E402
from lower import lowered  # noqa: E402
from model_catalogue import models  # noqa: E402
from program import Program  # noqa: E402


def programs() -> list[Program]:
    return [
        Program(
            name=f"model/{model.name}",
            text=lowered(model, bindings.new_context()),
            about=model.about,
            partitions=1 if model.sharded is None else 2,
            data=model.arguments,
            uninterpreted="it would take minutes; tools/models compares its results",
        )
        for model in models()
    ]
