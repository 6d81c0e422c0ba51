"""observed: programs that show what StableHLO leaves to the implementation."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

TERMS = 1024


def multiply_add(dtype: str) -> Program:
    t = tensor(dtype, 4)
    body = f"%0 = stablehlo.multiply %arg0, %arg1 : {t}\n%1 = stablehlo.add %0, %arg2 : {t}"
    about = "A product and a sum, which some compilers round together"
    return program(f"observed/multiply_add_{dtype}", about, [t, t, t], [t], body, results="%1")


def product(precision: str) -> Program:
    a, b, c = tensor("f32", 16, 32), tensor("f32", 32, 8), tensor("f32", 16, 8)
    body = (
        "%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], "
        f"precision = [{precision}, {precision}] : ({a}, {b}) -> {c}"
    )
    about = f"A product of matrices of f32 with precision {precision}"
    return program(f"observed/matmul_{precision.lower()}_f32", about, [a, b], [c], body)


def total(dtype: str) -> Program:
    t, s = tensor(dtype, TERMS), tensor(dtype)
    body = (
        f"%zero = stablehlo.constant dense<0.0> : {s}\n"
        f"%0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : ({t}, {s}) -> {s}"
    )
    return program(f"observed/sum_{dtype}", f"The sum of {TERMS} numbers", [t], [s], body)


def ordered() -> Program:
    t, s, p = tensor("f32", 8), tensor("f32"), tensor("pred")
    body = f"""%0 = "stablehlo.sort"(%arg0) <{{dimension = 0 : i64, is_stable = true}}> ({{
^bb0(%a: {s}, %b: {s}):
  %less = stablehlo.compare LT, %a, %b, FLOAT : ({s}, {s}) -> {p}
  stablehlo.return %less : {p}
}}) : ({t}) -> {t}"""
    return program("observed/sort_f32", "A stable sort by <, which does not order NaN", [t], [t], body)


def random() -> Program:
    s, r = tensor("u64", 2), tensor("u32", 4)
    body = f"%s, %r = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : ({s}) -> ({s}, {r})"
    about = "Words of the generator that the plugin prefers"
    return program(
        "observed/rng_default_u32",
        about,
        [s],
        [s, r],
        body,
        results="%s, %r",
        uninterpreted="the interpreter does not support rng_bit_generator",
    )


def programs() -> list[Program]:
    return [
        *(multiply_add(dtype) for dtype in ("f16", "bf16", "f32", "f64")),
        *(product(precision) for precision in ("DEFAULT", "HIGH", "HIGHEST")),
        *(total(dtype) for dtype in ("f32", "bf16")),
        ordered(),
        random(),
    ]
