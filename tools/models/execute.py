"""Runs StableHLO text on XLA's CPU backend, also as a device would that multiplies in bf16."""

from __future__ import annotations

import jax
import numpy as np
from jax.extend import backend
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib import xla_client

PRODUCTS = ("stablehlo.dot_general", "stablehlo.convolution")


def execute(text: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    client = backend.get_backend("cpu")
    devices = client.local_devices()[:1]
    executable = client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), xla_client.CompileOptions())
    return [np.asarray(y) for y in executable.execute([jax.device_put(a, devices[0]) for a in arguments])]


def with_rounded_products(text: str, context: ir.Context) -> str:
    """The program with the operands of its products rounded to bf16, which is what TPUs do at the default precision."""
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)

        def visit(op):
            if op.name in PRODUCTS:
                with ir.InsertionPoint(op):
                    for i in (0, 1):
                        rounded = stablehlo.reduce_precision(op.operands[i], 8, 7)
                        op.operands[i] = rounded
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        return str(module)
