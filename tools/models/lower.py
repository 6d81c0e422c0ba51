"""StableHLO text of a model, as JAX sends it to a plugin that it does not know."""

from __future__ import annotations

import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo
from jaxlib.mlir.passmanager import PassManager

from model import Model

stablehlo.register_stablehlo_passes()


def lowered(model: Model, context: ir.Context) -> str:
    """In a context of its own: lowered for TPUs, where JAX has no kernels of its own for these; CHLO becomes StableHLO, as JAX's runtime does it."""
    shardings = {}
    if model.sharded is not None:
        mesh = AbstractMesh((2,), ("x",))
        *given, result = (NamedSharding(mesh, PartitionSpec(*spec)) for spec in model.sharded)
        shardings = {"in_shardings": tuple(given), "out_shardings": result}
    traced = jax.jit(model.traced(), keep_unused=True, **shardings).trace(*model.shapes())
    text = traced.lower(lowering_platforms=("tpu",)).as_text()
    chlo.register_dialect(context)
    with context:
        module = ir.Module.parse(text)
        PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo),canonicalize)").run(module.operation)
        return str(module)
