"""Everything that touches jaxlib: parse and verify, print, serialise, interpret."""

from __future__ import annotations

import jaxlib.version
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib import _jax
from jaxlib.mlir.dialects import func, sdy, stablehlo

from dtypes import HARNESS, literal


def new_context() -> ir.Context:
    context, registry = ir.Context(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    stablehlo.register_interpreter_dialect(context)
    sdy.register_dialect(context)
    return context


CONTEXT = new_context()


def tool_versions() -> dict[str, str]:
    return {
        "jaxlib": jaxlib.version.__version__,
        "stablehlo": stablehlo.get_current_version(),
        "stablehloMinimum": stablehlo.get_minimum_version(),
    }


def parse(text: str) -> ir.Module:
    """Parses and verifies; raises MLIRError."""
    return ir.Module.parse(text, CONTEXT)


def acceptable(text: str) -> bool:
    """Whether a compiler has to take it: it verifies and there is something to run."""
    try:
        return any(isinstance(op, func.FuncOp) and op.name.value == "main" for op in parse(text).body.operations)
    except Exception:
        return False


def signature(module: ir.Module) -> tuple[list[dict], list[dict]]:
    """Inputs and outputs of `main` as the harness names them."""
    main = next(op for op in module.body.operations if isinstance(op, func.FuncOp) and op.name.value == "main")
    return [described(t) for t in main.type.inputs], [described(t) for t in main.type.results]


def described(mlir_type: ir.Type) -> dict:
    ranked = ir.RankedTensorType(mlir_type)
    return {"dtype": HARNESS[str(ranked.element_type)], "shape": list(ranked.shape)}


def artifact(module: ir.Module, version: str) -> bytes | None:
    """The portable artifact at a StableHLO version, or None where that version cannot express the program."""
    silenced = CONTEXT.attach_diagnostic_handler(lambda diagnostic: True)
    try:
        with CONTEXT:
            if "sdy." in str(module):
                # Shardy stays as it is beside the versioned operations, as in what JAX sends.
                text = str(module.operation.get_asm(enable_debug_info=True))
                return _jax.mlir.serialize_portable_artifact(text, version, True)
            return stablehlo.serialize_portable_artifact(module, version)
    except Exception:
        return None
    finally:
        silenced.detach()


def interpret(module: ir.Module, feed: dict[int, int]) -> list[str]:
    """Runs `main` in the reference interpreter on splats of small integers; raises where it cannot."""
    inputs, _ = signature(module)
    with CONTEXT, ir.Location.unknown():
        arguments = []
        for index, given in enumerate(inputs):
            shape = "".join(f"{d}x" for d in given["shape"])
            mlir = next(m for m, name in HARNESS.items() if name == given["dtype"])
            inside = literal(given["dtype"], feed.get(index, 1)) if 0 not in given["shape"] else ""
            arguments.append(ir.Attribute.parse(f"dense<{inside}> : tensor<{shape}{mlir}>"))
        return [str(r) for r in stablehlo.eval_module(module, arguments)]
