"""algorithm: products of matrices with a precision, or with the algorithm that `jax.lax.DotAlgorithmPreset` names."""

from __future__ import annotations

from dtypes import MLIR, tensor
from program import Program, program

ROWS, DEPTH, COLUMNS = 5, 64, 7

# Type of the operands, type of the result, precision of the operands, type of the sums, primitive operations.
PRESETS = {
    "any_f8_any_f8_f32": ("f8e4m3fn", "f32", "f8e4m3fn", "f32", 1),
    "any_f8_any_f8_f32_fast_accum": ("f8e4m3fn", "f32", "f8e4m3fn", "f32", 1),
    "f16_f16_f16": ("f16", "f16", "f16", "f16", 1),
    "f16_f16_f32": ("f16", "f32", "f16", "f32", 1),
    "bf16_bf16_bf16": ("f32", "f32", "bf16", "bf16", 1),
    "bf16_bf16_f32": ("f32", "f32", "bf16", "f32", 1),
    "bf16_bf16_f32_x3": ("f32", "f32", "bf16", "f32", 3),
    "bf16_bf16_f32_x6": ("f32", "f32", "bf16", "f32", 6),
    "bf16_bf16_f32_x9": ("f32", "f32", "bf16", "f32", 9),
    "tf32_tf32_f32": ("f32", "f32", "tf32", "f32", 1),
    "tf32_tf32_f32_x3": ("f32", "f32", "tf32", "f32", 3),
    "f32_f32_f32": ("f32", "f32", "f32", "f32", 1),
    "f64_f64_f64": ("f64", "f64", "f64", "f64", 1),
}


def algorithm(name: str) -> Program:
    """As JAX lowers a preset: both operands in one piece, however many primitive operations there are."""
    storage, result, rounded, summed, operations = PRESETS[name]
    rounded = MLIR.get(rounded, rounded)
    a, b, c = tensor(storage, ROWS, DEPTH), tensor(storage, DEPTH, COLUMNS), tensor(result, ROWS, COLUMNS)
    fields = (
        f"lhs_precision_type = {rounded}, rhs_precision_type = {rounded}, accumulation_type = {summed}, "
        f"lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {operations}, "
        f"allow_imprecise_accumulation = {'true' if name.endswith('fast_accum') else 'false'}"
    )
    body = (
        f"%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], "
        f"precision = [DEFAULT, DEFAULT], algorithm = <{fields}> : ({a}, {b}) -> {c}"
    )
    return program(
        f"algorithm/{name}",
        f"A product by the algorithm {name.upper()}",
        [a, b],
        [c],
        body,
        oldest="1.4.0",
        uninterpreted="the interpreter ignores the algorithm",
    )


def product(precision: str) -> Program:
    a, b, c = tensor("f32", ROWS, DEPTH), tensor("f32", DEPTH, COLUMNS), tensor("f32", ROWS, COLUMNS)
    body = (
        f"%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], "
        f"precision = [{precision}, {precision}] : ({a}, {b}) -> {c}"
    )
    return program(f"algorithm/dot_{precision.lower()}", f"A product at the precision {precision}", [a, b], [c], body)


def convolution(precision: str) -> Program:
    """A filter of one element for each pair of channels: the product of a matrix of pixels and one of filters."""
    a, b, c = tensor("f32", 1, ROWS, DEPTH), tensor("f32", 1, DEPTH, COLUMNS), tensor("f32", 1, ROWS, COLUMNS)
    body = (
        f"%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
        f"window = {{stride = [1]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
        f"precision_config = [#stablehlo<precision {precision}>, #stablehlo<precision {precision}>]}} : ({a}, {b}) -> {c}"
    )
    about = f"A convolution at the precision {precision}"
    return program(f"algorithm/convolution_{precision.lower()}", about, [a, b], [c], body)


def programs() -> list[Program]:
    precisions = ("DEFAULT", "HIGH", "HIGHEST")
    return [
        *(algorithm(name) for name in PRESETS),
        *(product(precision) for precision in precisions),
        *(convolution(precision) for precision in precisions),
    ]
