"""typed: operations in the element types that other groups leave out, and sums that are wider than their operands."""

from __future__ import annotations

from dataclasses import replace

from dtypes import compare_type, is_float, literal, tensor
from program import Program, program

from .variants import COMPLEX as UNINTERPRETED
from .variants import SCATTER_ROWS, convolution, scatter, sizes

NARROW = ("s4", "u4", "s8", "u8", "s16", "u16")
WIDE = ("s32", "u32", "s64", "u64")
COMPLEX = ("c64", "c128")
F8 = ("f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3", "f8e3m4")


def dots() -> list[Program]:
    def dot(name: str, dtype: str, to: str, m: int, k: int, n: int) -> Program:
        a, b, c = tensor(dtype, m, k), tensor(dtype, k, n), tensor(to, m, n)
        body = f"%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : ({a}, {b}) -> {c}"
        return program(f"typed/dot_{name}", f"A matrix product of {dtype} as {to}", [a, b], [c], body)

    return [
        *(dot(t, t, t, 3, 5, 7) for t in ("pred", *NARROW, "u32", "s64", "u64", "c128", *F8)),
        *(
            dot(f"{a}_{b}", a, b, 5, 33, 7)
            for a, b in (
                ("s4", "s32"), ("s4", "s8"), ("u4", "u32"), ("u8", "u32"), ("s8", "s16"), ("s16", "s32"), ("u16", "u32"),
                ("s32", "s64"), ("f32", "f64"), ("f8e4m3fn", "f32"), ("f8e5m2", "f32"), ("f8e4m3fn", "bf16"),
                ("f8e5m2", "f16"), ("bf16", "f64"),
            )  # fmt: skip
        ),
    ]


def limits(op: str, dtype: str) -> str:
    """The identity of an operation."""
    if op in ("add", "or", "xor"):
        return literal(dtype, 0)
    if op == "multiply":
        return literal(dtype, 1)
    if dtype == "pred":
        return "true"
    bits = int(dtype[1:]) if dtype[0] in "su" else 0
    if op == "and":
        return str(2**bits - 1 if dtype[0] == "u" else -1)
    if is_float(dtype):
        infinity = {"f16": "7C00", "bf16": "7F80", "f32": "7F800000", "f64": "7FF0000000000000"}[dtype]
        return "0x" + (("F" + infinity[1:]) if op == "maximum" else infinity)
    if dtype[0] == "u":
        return "0" if op == "maximum" else str(2**bits - 1)
    return str(-(2 ** (bits - 1))) if op == "maximum" else str(2 ** (bits - 1) - 1)


SHORT = {"add": "add", "multiply": "mul", "maximum": "max", "minimum": "min", "and": "and", "or": "or", "xor": "xor"}


def reductions() -> list[Program]:
    def reduce(op: str, dtype: str) -> Program:
        a, s, b = tensor(dtype, 4, 7), tensor(dtype), tensor(dtype, 4)
        body = f"""%init = stablehlo.constant dense<{limits(op, dtype)}> : {s}
%0 = stablehlo.reduce(%arg0 init: %init) applies stablehlo.{op} across dimensions = [1] : ({a}, {s}) -> {b}"""
        return program(f"typed/reduce_{SHORT[op]}_{dtype}", f"{op} over each row", [a], [b], body)

    return [
        *(reduce("add", t) for t in (*NARROW, "u32", "s64", "u64", "f16", "f64", *COMPLEX, *F8)),
        *(reduce("multiply", t) for t in (*NARROW[2:], "u32", "s64", "u64", "f64", *COMPLEX)),
        *(reduce(op, t) for op in ("maximum", "minimum") for t in ("pred", *NARROW, "u32", "s64", "u64", "f64")),
        *(reduce(op, t) for op in ("and", "or", "xor") for t in ("s8", "u16", "s64")),
        reduce("xor", "pred"),
    ]


def moves() -> list[Program]:
    """Every operation that moves elements at once, for each type: an output for each operation."""

    def move(dtype: str) -> Program:
        a, v, i = tensor(dtype, 5, 7), tensor(dtype), tensor("s32")
        rows, u, m = tensor("s32", 3, 1), tensor(dtype, 3, 7), tensor("pred", 5, 7)
        gathered, padded, joined = tensor(dtype, 3, 7), tensor(dtype, 5, 14), tensor(dtype, 5, 14)
        cut, turned, sliced, wide = tensor(dtype, 2, 3), tensor(dtype, 7, 5), tensor(dtype, 3, 3), tensor(dtype, 2, 5, 7)
        gather = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
        body = f"""%0 = stablehlo.pad %arg0, %arg1, low = [-1, 2], high = [1, -1], interior = [0, 1] : ({a}, {v}) -> {padded}
%1 = stablehlo.concatenate %arg0, %arg2, dim = 1 : ({a}, {a}) -> {joined}
%2 = stablehlo.dynamic_slice %arg0, %arg3, %arg3, sizes = [2, 3] : ({a}, {i}, {i}) -> {cut}
%3 = stablehlo.dynamic_update_slice %arg0, %2, %arg3, %arg3 : ({a}, {cut}, {i}, {i}) -> {a}
%4 = stablehlo.transpose %arg0, dims = [1, 0] : ({a}) -> {turned}
%5 = stablehlo.slice %arg0 [0:5:2, 1:7:2] : ({a}) -> {sliced}
%6 = stablehlo.reverse %arg0, dims = [1] : {a}
%7 = stablehlo.select %arg4, %arg0, %arg2 : {m}, {a}
%8 = "stablehlo.gather"(%arg0, %arg5) <{{dimension_numbers = #stablehlo.gather<{gather}>, indices_are_sorted = false,
{sizes("slice_sizes", 1, 7)}}}> : ({a}, {rows}) -> {gathered}
%9 = "stablehlo.scatter"(%arg0, %arg5, %8) <{{indices_are_sorted = false,
scatter_dimension_numbers = #stablehlo.scatter<{SCATTER_ROWS}>, unique_indices = false}}> ({{
^bb0(%old: {v}, %new: {v}):
stablehlo.return %new : {v}
}}) : ({a}, {rows}, {u}) -> {a}
%10 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : ({a}) -> {wide}"""
        return program(
            f"typed/moves_{dtype}",
            "pad, concatenate, dynamic_slice, dynamic_update_slice, transpose, slice, reverse, select, gather, scatter "
            "and broadcast_in_dim of one array",
            [a, v, a, i, m, rows],
            [padded, joined, cut, a, turned, sliced, a, a, gathered, a, wide],
            body,
            results=", ".join(f"%{n}" for n in range(11)),
        )

    return [move(t) for t in (*NARROW, "u32", "s64", "u64", "f16", "f64", "c128", "f8e4m3fn", "f8e5m2")]


def orders() -> list[Program]:
    def order(dtype: str) -> Program:
        t, p = tensor(dtype, 131), tensor("pred", 131)
        kind = compare_type(dtype)
        names = ("LT", "LE", "GT", "GE", "EQ", "NE")
        compared = "\n".join(
            f"%{i} = stablehlo.compare {d}, %arg0, %arg1, {kind} : ({t}, {t}) -> {p}" for i, d in enumerate(names)
        )
        body = f"""{compared}
%6 = stablehlo.maximum %arg0, %arg1 : {t}
%7 = stablehlo.minimum %arg0, %arg1 : {t}"""
        return program(
            f"typed/order_{dtype}",
            "All six comparisons, maximum and minimum",
            [t, t],
            [*[p] * 6, t, t],
            body,
            results=", ".join(f"%{n}" for n in range(8)),
        )

    def clamp(dtype: str) -> Program:
        t, s = tensor(dtype, 131), tensor(dtype)
        return program(
            f"typed/clamp_{dtype}",
            "Between two scalars",
            [s, t, s],
            [t],
            f"%0 = stablehlo.clamp %arg0, %arg1, %arg2 : ({s}, {t}, {s}) -> {t}",
        )

    def sort(dtype: str) -> Program:
        t, s = tensor(dtype, 5, 131), tensor(dtype)
        body = f"""%0 = "stablehlo.sort"(%arg0) <{{dimension = 1 : i64, is_stable = false}}> ({{
^bb0(%a: {s}, %b: {s}):
  %c = stablehlo.compare LT, %a, %b, {compare_type(dtype)} : ({s}, {s}) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}}) : ({t}) -> {t}"""
        return program(f"typed/sort_{dtype}", "Each row ascending", [t], [t], body)

    return [
        *(order(t) for t in ("pred", *NARROW, "u32", "s64", "u64", "f16", "bf16", "f64", "f8e4m3fn", "f8e5m2")),
        *(clamp(t) for t in (*NARROW, "u32", "s64", "u64", "f16", "f64", "f8e4m3fn", "f8e5m2")),
        *(sort(t) for t in ("pred", *NARROW, "u32", "s64", "u64", "f16", "bf16", "f64")),
    ]


def scattered() -> list[Program]:
    types = (*NARROW, "u32", "s64", "u64", *("f16", "bf16", "f64"), *COMPLEX)
    return [
        scatter(t, "Rows added; most indices repeat", (5, 4), (7, 1), (7, 4), SCATTER_ROWS, "add", dtype=t,
                group="typed/scatter_add_")
        for t in types
    ]  # fmt: skip


def windows() -> list[Program]:
    def window(dtype: str) -> Program:
        a, s, b = tensor(dtype, 5, 9), tensor(dtype), tensor(dtype, 4, 4)
        body = f"""%init = stablehlo.constant dense<{literal(dtype, 0)}> : {s}
%0 = "stablehlo.reduce_window"(%arg0, %init) <{{{sizes("window_dimensions", 2, 3)}, {sizes("window_strides", 1, 2)}}}> ({{
^bb0(%a: {s}, %c: {s}):
  %d = stablehlo.add %a, %c : {s}
  stablehlo.return %d : {s}
}}) : ({a}, {s}) -> {b}"""
        return program(f"typed/window_add_{dtype}", "The sum of each 2 x 3 block", [a], [b], body)

    return [window(t) for t in (*NARROW, *WIDE, "f16", "bf16", "f64", *COMPLEX)]


def images() -> list[Program]:
    numbers = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"

    def image(dtype: str, to: str | None = None) -> Program:
        return convolution(dtype if to is None else f"{dtype}_{to}", "Filters over images", (2, 5, 6, 2), (2, 3, 2, 3),
                           (2, 5, 3, 3), numbers, window="stride = [1, 2], pad = [[1, 0], [0, 1]]", dtype=dtype, to=to,
                           group="typed/conv_")  # fmt: skip

    return [
        *(image(t) for t in ("s8", "u8", "s16", "s32", "s64", "f16", "bf16", "f64", "c64", "c128", "f8e4m3fn")),
        *(image(a, b) for a, b in (("s8", "s32"), ("u8", "u32"), ("bf16", "f32"), ("f16", "f32"), ("f8e4m3fn", "f32"))),
    ]


def programs() -> list[Program]:
    made = [*dots(), *reductions(), *moves(), *orders(), *scattered(), *windows(), *images()]
    return [replace(p, uninterpreted=UNINTERPRETED) if p.name.endswith(COMPLEX) else p for p in made]
