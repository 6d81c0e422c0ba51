"""sized: sizes around those at which tiles, vector loops and kernels change, in each dimension."""

from __future__ import annotations

from dataclasses import replace

from dtypes import tensor
from program import Program, program

from .variants import product

SLOW = "the interpreter takes too long for arrays of this size"

SIZES = (127, 128, 129, 255, 256, 257, 2047, 2048, 2049)


def vector(n: int) -> Program:
    t, s, twice = tensor("f32", n), tensor("f32"), tensor("f32", 2 * n)
    body = f"""%zero = stablehlo.constant dense<0.0> : {s}
%0 = stablehlo.add %arg0, %arg1 : {t}
%1 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : ({t}, {s}) -> {s}
%2 = stablehlo.concatenate %arg0, %arg1, dim = 0 : ({t}, {t}) -> {twice}
%3 = stablehlo.convert %arg0 : ({t}) -> {tensor("s32", n)}
%4 = stablehlo.convert %arg0 : ({t}) -> {tensor("bf16", n)}
%5 = stablehlo.reverse %arg0, dims = [0] : {t}"""
    return program(
        f"sized/vector_{n}",
        f"Sum of two vectors of {n}, of the elements of one, and the vectors joined, converted and reversed",
        [t, t],
        [t, s, twice, tensor("s32", n), tensor("bf16", n), t],
        body,
        results="%0, %1, %2, %3, %4, %5",
    )


def matrix(m: int, n: int) -> Program:
    t, s = tensor("f32", m, n), tensor("f32")
    low, high, wide = tensor("f32", 2 * m, n), tensor("f32", m, 2 * n), tensor("f32", n, m)
    body = f"""%zero = stablehlo.constant dense<0.0> : {s}
%0 = stablehlo.add %arg0, %arg1 : {t}
%1 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : ({t}, {s}) -> {tensor("f32", n)}
%2 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : ({t}, {s}) -> {tensor("f32", m)}
%3 = stablehlo.transpose %arg0, dims = [1, 0] : ({t}) -> {wide}
%4 = stablehlo.concatenate %arg0, %arg1, dim = 0 : ({t}, {t}) -> {low}
%5 = stablehlo.concatenate %arg0, %arg1, dim = 1 : ({t}, {t}) -> {high}"""
    return program(
        f"sized/matrix_{m}x{n}",
        f"Two arrays of [{m},{n}] added, joined in each dimension; one summed along each and transposed",
        [t, t],
        [t, tensor("f32", n), tensor("f32", m), wide, low, high],
        body,
        results="%0, %1, %2, %3, %4, %5",
    )


def renamed(made: Program, terms: int) -> Program:
    """A product as a program of this group."""
    name = made.name.replace("variant/", "sized/")
    text = made.text.replace("@variant_", "@sized_")
    return replace(made, name=name, text=text, uninterpreted=SLOW if terms > 100_000 else None)


def multiplied(m: int, k: int, n: int, dtype: str) -> Program:
    made = product(f"{m}x{k}x{n}_{dtype}", f"[{m},{k}] times [{k},{n}]", (m, k), (k, n), (m, n), "", "[1] x [0]", dtype)
    return renamed(made, m * k * n)


def batched(batch: int, m: int, k: int, n: int) -> Program:
    made = product(
        f"{batch}x{m}x{k}x{n}_f32",
        f"A batch of {batch} products of [{m},{k}] and [{k},{n}]",
        (batch, m, k),
        (batch, k, n),
        (batch, m, n),
        "[0] x [0]",
        "[2] x [1]",
    )
    return renamed(made, batch * m * k * n)


def sort(n: int) -> Program:
    t, s = tensor("s32", n), tensor("s32")
    body = f"""%0 = "stablehlo.sort"(%arg0) <{{dimension = 0 : i64, is_stable = false}}> ({{
^bb0(%a: {s}, %b: {s}):
  %c = stablehlo.compare LT, %a, %b, SIGNED : ({s}, {s}) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}}) : ({t}) -> {t}"""
    return program(f"sized/sort_{n}", f"{n} numbers ascending", [t], [t], body)


# Every combination of sizes just below, at and above a tile that differs between the dimensions.
PRODUCTS = (
    (129, 127, 128), (127, 129, 129), (128, 128, 127), (129, 129, 1), (1, 129, 129), (129, 1, 129), (1, 2049, 1),
    (3, 257, 5), (257, 3, 255), (1, 1, 1), (2, 4099, 3),
)  # fmt: skip


def programs() -> list[Program]:
    return [
        *(vector(n) for n in (1, *SIZES, 4099)),
        *(matrix(n, 3) for n in (127, 128, 129, 257, 2049)),
        *(matrix(3, n) for n in (127, 128, 129, 257, 2049)),
        *(matrix(*shape) for shape in ((1, 129), (129, 1), (1, 2049), (2049, 1), (129, 257))),
        *(multiplied(*sizes, dtype) for sizes in PRODUCTS for dtype in ("f32", "bf16")),
        *(multiplied(*sizes, "s32") for sizes in PRODUCTS[:3]),
        batched(3, 129, 7, 127),
        batched(2, 5, 129, 131),
        batched(129, 2, 3, 2),
        *(sort(n) for n in (127, 128, 129, 257, 2049, 4099)),
    ]
