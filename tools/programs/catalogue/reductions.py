"""reduce: reductions, windows and running sums, always from the identity of the op."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

OPS = {"add": "add", "multiply": "mul", "maximum": "max", "minimum": "min", "and": "and", "or": "or"}
LOWEST = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80", "s32": "-2147483648"}
HIGHEST = {"f32": "0x7F800000", "f16": "0x7C00", "bf16": "0x7F80", "s32": "2147483647"}


def identity(op: str, dtype: str) -> str:
    """The value that changes nothing, as the inside of `dense<...>`."""
    if dtype == "pred":
        return "true" if op == "and" else "false"
    if op == "maximum":
        return LOWEST[dtype]
    if op == "minimum":
        return HIGHEST[dtype]
    value = 0 if op == "add" else 1
    return f"{value}.0" if dtype.startswith(("f", "bf")) else str(value)


def reduce(name: str, about: str, op: str, dtype: str, source, target, dimensions: list[int], **more) -> Program:
    a, s, b = tensor(dtype, *source), tensor(dtype), tensor(dtype, *target)
    body = f"""%init = stablehlo.constant dense<{identity(op, dtype)}> : {s}
%0 = stablehlo.reduce(%arg0 init: %init) applies stablehlo.{op} across dimensions = {dimensions} : ({a}, {s}) -> {b}"""
    return program(f"reduce/{name}", about, [a], [b], body, **more)


def argmax() -> Program:
    v, i, b, sv, si = tensor("f32", 4, 8), tensor("s32", 4, 8), tensor("pred"), tensor("f32"), tensor("s32")
    rv, ri = tensor("f32", 4), tensor("s32", 4)
    body = f"""%i = stablehlo.iota dim = 1 : {i}
%low = stablehlo.constant dense<{LOWEST["f32"]}> : {sv}
%none = stablehlo.constant dense<0> : {si}
%0:2 = stablehlo.reduce(%arg0 init: %low), (%i init: %none) across dimensions = [1]
 : ({v}, {i}, {sv}, {si}) -> ({rv}, {ri})
 reducer(%a: {sv}, %c: {sv}) (%ai: {si}, %ci: {si}) {{
  %more = stablehlo.compare GT, %a, %c, FLOAT : ({sv}, {sv}) -> {b}
  %same = stablehlo.compare EQ, %a, %c, FLOAT : ({sv}, {sv}) -> {b}
  %first = stablehlo.compare LT, %ai, %ci, SIGNED : ({si}, {si}) -> {b}
  %tie = stablehlo.and %same, %first : {b}
  %left = stablehlo.or %more, %tie : {b}
  %value = stablehlo.select %left, %a, %c : {b}, {sv}
  %index = stablehlo.select %left, %ai, %ci : {b}, {si}
  stablehlo.return %value, %index : {sv}, {si}
}}"""
    about = "The largest of each row and where it is; of equal ones the first"
    return program("reduce/argmax_f32", about, [v], [rv, ri], body, results="%0#0, %0#1")


def window(name: str, about: str, op: str, dtype: str, source, target, attributes: str) -> Program:
    a, s, b = tensor(dtype, *source), tensor(dtype), tensor(dtype, *target)
    body = f"""%init = stablehlo.constant dense<{identity(op, dtype)}> : {s}
%0 = "stablehlo.reduce_window"(%arg0, %init) <{{{attributes}}}> ({{
^bb0(%a: {s}, %c: {s}):
  %d = stablehlo.{op} %a, %c : {s}
  stablehlo.return %d : {s}
}}) : ({a}, {s}) -> {b}"""
    return program(f"reduce/{name}", about, [a], [b], body)


def windows() -> list[Program]:
    pool = "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>"
    running = "window_dimensions = array<i64: 16>, padding = dense<[[15, 0]]> : tensor<1x2xi64>"
    longer = "window_dimensions = array<i64: 67>, padding = dense<[[66, 0]]> : tensor<1x2xi64>"
    uneven = "window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 3>"
    padded = "window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>"
    return [
        window("window_max_f32", "The largest of each 2 x 2 block", "maximum", "f32", (5, 131), (2, 65), pool),
        window("window_add_f32", "The sum of each 2 x 2 block", "add", "f32", (5, 131), (2, 65), pool),
        window("window_min_s32", "The smallest of each 2 x 2 block", "minimum", "s32", (5, 131), (2, 65), pool),
        window("window_add_uneven_f32", "Blocks that overlap in rows only", "add", "f32", (7, 11), (3, 4), uneven),
        window("window_add_padded_s32", "Each element and its neighbours", "add", "s32", (8,), (8,), padded),
        window("cumulative_sum_f32", "The sum of all elements so far", "add", "f32", (67,), (67,), longer),
        window("cumulative_sum_s32", "The sum of all elements so far", "add", "s32", (67,), (67,), longer),
        window("cumulative_max_s32", "The largest element so far", "maximum", "s32", (16,), (16,), running),
    ]


def programs() -> list[Program]:
    rows = [
        reduce(f"{OPS[op]}_rows_{dtype}", f"{op} over each row of [4,37]", op, dtype, (4, 37), (4,), [1])
        for op in ("add", "multiply", "maximum", "minimum")
        for dtype in ("f32", "s32", "f16", "bf16")
    ]
    full = [
        reduce(f"{OPS[op]}_all_{dtype}", f"{op} over all of [4,8]", op, dtype, (4, 8), (), [0, 1])
        for op, dtype in (("add", "f32"), ("add", "s32"), ("maximum", "f32"), ("add", "bf16"))
    ]
    logical = [
        reduce(f"{op}_rows_pred", f"{op} over each row of [4,37]", op, "pred", (4, 37), (4,), [1]) for op in ("and", "or")
    ]
    return [
        *rows,
        *full,
        *logical,
        reduce("add_columns_f32", "The sum of each column", "add", "f32", (4, 8), (8,), [0]),
        reduce("add_outer_f32", "The sum over the first and last of three", "add", "f32", (2, 3, 4), (3,), [0, 2]),
        reduce("add_none_f32", "A reduction over no dimension", "add", "f32", (4, 8), (4, 8), []),
        reduce("add_empty_f32", "The sum of nothing: zero", "add", "f32", (4, 0), (4,), [1]),
        reduce("add_1000_f32", "A thousand elements to one", "add", "f32", (1000,), (), [0]),
        reduce("add_1000_s32", "A thousand elements to one", "add", "s32", (1000,), (), [0]),
        reduce("add_long_rows_f32", "The sum of each of three rows of 1031", "add", "f32", (3, 1031), (3,), [1]),
        reduce("max_many_rows_s32", "The largest of each of 1031 rows", "maximum", "s32", (1031, 5), (1031,), [1]),
        argmax(),
        *windows(),
    ]
