"""shape: ops that move elements without changing them."""

from __future__ import annotations

from dtypes import ELEMENTS, tensor
from program import Program, program


def move(name: str, about: str, dtype: str, source: tuple[int, ...], target: tuple[int, ...], op: str) -> Program:
    """One input, one output; `{}` in `op` is the pair of types."""
    a, b = tensor(dtype, *source), tensor(dtype, *target)
    return program(f"shape/{name}", about, [a], [b], "%0 = stablehlo." + op.format(f"({a}) -> {b}"))


def pad(name: str, about: str, source: tuple[int, ...], target: tuple[int, ...], low, high, interior) -> Program:
    a, v, b = tensor("f32", *source), tensor("f32"), tensor("f32", *target)
    return program(
        f"shape/{name}",
        about,
        [a, v],
        [b],
        f"%0 = stablehlo.pad %arg0, %arg1, low = {low}, high = {high}, interior = {interior} : ({a}, {v}) -> {b}",
    )


def moves(dtype: str) -> list[Program]:
    """The ops that exist for every element type in question."""
    # Neither dimension is a multiple of a tile of 8 or 128, and both are odd.
    rows, columns = 17, 131
    a, b, c = tensor(dtype, rows, columns), tensor(dtype, 5, columns), tensor(dtype, rows + 5, columns)
    whole, turned = (rows, columns), (columns, rows)
    return [
        move(f"reshape_{dtype}", "[17,131] as [131,17]", dtype, whole, turned, "reshape %arg0 : {}"),
        move(f"transpose_{dtype}", "Rows become columns", dtype, whole, turned, "transpose %arg0, dims = [1, 0] : {}"),
        move(
            f"broadcast_in_dim_{dtype}",
            "A vector as every row of a matrix",
            dtype,
            (columns,),
            whole,
            "broadcast_in_dim %arg0, dims = [1] : {}",
        ),
        move(f"slice_{dtype}", "Every second column", dtype, whole, (rows, 65), "slice %arg0 [0:17, 1:131:2] : {}"),
        program(
            f"shape/concatenate_{dtype}",
            "Two matrices one below the other",
            [a, b],
            [c],
            f"%0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : ({a}, {b}) -> {c}",
        ),
        program(
            f"shape/reverse_{dtype}",
            "Both dimensions reversed",
            [a],
            [a],
            f"%0 = stablehlo.reverse %arg0, dims = [0, 1] : {a}",
        ),
    ]


def iota(dtype: str, dimension: int, *shape: int, suffix: str = "") -> Program:
    t = tensor(dtype, *shape)
    name = f"shape/iota_{dtype}_dim{dimension}_rank{len(shape)}{suffix}"
    return program(
        name, f"The index along dimension {dimension}", [], [t], f"%0 = stablehlo.iota dim = {dimension} : {t}"
    )


def sort(name: str, about: str, dtype: str, shape: tuple[int, ...], dimension: int, direction: str) -> Program:
    t, s = tensor(dtype, *shape), tensor(dtype)
    kind = "FLOAT" if dtype.startswith(("f", "bf")) else "SIGNED"
    body = f""""stablehlo.sort"(%arg0) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
^bb0(%a: {s}, %b: {s}):
  %c = stablehlo.compare {direction}, %a, %b, {kind} : ({s}, {s}) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}}) : ({t}) -> {t}"""
    return program(f"shape/{name}", about, [t], [t], f"%0 = {body}")


def sort_pairs() -> Program:
    k, v = tensor("s32", ELEMENTS), tensor("f32", ELEMENTS)
    body = f"""%0:2 = "stablehlo.sort"(%arg0, %arg1) <{{dimension = 0 : i64, is_stable = true}}> ({{
^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
  %e = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %e : tensor<i1>
}}) : ({k}, {v}) -> ({k}, {v})"""
    about = "Values carried along with their keys; equal keys keep their order"
    return program("shape/sort_pairs_s32_f32", about, [k, v], [k, v], body, results="%0#0, %0#1")


def ranks() -> list[Program]:
    """Shapes beyond matrices, and the awkward ones."""
    return [
        move("reshape_rank0_to_rank3", "A scalar as [1,1,1]", "f32", (), (1, 1, 1), "reshape %arg0 : {}"),
        move("reshape_rank4_to_rank1", "[2,3,4,5] as [120]", "f32", (2, 3, 4, 5), (120,), "reshape %arg0 : {}"),
        move("reshape_empty", "[0,3] as [3,0]", "f32", (0, 3), (3, 0), "reshape %arg0 : {}"),
        move(
            "transpose_rank3",
            "Dimensions 2, 0, 1 of [2,3,4]",
            "f32",
            (2, 3, 4),
            (4, 2, 3),
            "transpose %arg0, dims = [2, 0, 1] : {}",
        ),
        move(
            "transpose_rank5",
            "All five dimensions reversed",
            "f32",
            (2, 3, 4, 1, 5),
            (5, 1, 4, 3, 2),
            "transpose %arg0, dims = [4, 3, 2, 1, 0] : {}",
        ),
        move(
            "transpose_64x33",
            "A matrix that no tile divides",
            "f32",
            (64, 33),
            (33, 64),
            "transpose %arg0, dims = [1, 0] : {}",
        ),
        move(
            "transpose_1031x67",
            "A matrix of more than 1024 rows that no tile divides",
            "f32",
            (1031, 67),
            (67, 1031),
            "transpose %arg0, dims = [1, 0] : {}",
        ),
        move("broadcast_scalar", "A scalar everywhere", "f32", (), (3, 5), "broadcast_in_dim %arg0, dims = [] : {}"),
        move(
            "broadcast_expand",
            "A dimension of size 1 expanded",
            "f32",
            (17, 1),
            (3, 17, 131),
            "broadcast_in_dim %arg0, dims = [1, 2] : {}",
        ),
        move("slice_empty", "Nothing of a vector", "f32", (5,), (0,), "slice %arg0 [2:2] : {}"),
        move("slice_rank3", "A box in the middle", "f32", (4, 5, 6), (2, 3, 2), "slice %arg0 [1:3, 1:4, 2:6:2] : {}"),
    ]


def pads() -> list[Program]:
    return [
        pad("pad_edges", "One row above, two columns right", (2, 3), (3, 5), [1, 0], [0, 2], [0, 0]),
        pad("pad_interior", "One element between columns", (2, 3), (2, 5), [0, 0], [0, 0], [0, 1]),
        pad("pad_negative", "The first row and the last column cut off", (3, 4), (2, 3), [-1, 0], [0, -1], [0, 0]),
        pad("pad_mixed", "Cut, filled and spread at once", (3, 4), (4, 8), [-1, 2], [0, -1], [1, 1]),
    ]


def concatenations() -> list[Program]:
    a, b, c = tensor("f32", 2, 2, 3), tensor("f32", 2, 1, 3), tensor("f32", 2, 5, 3)
    e, f = tensor("f32", 0, 3), tensor("f32", 2, 3)
    return [
        program(
            "shape/concatenate_three",
            "Three arrays along the middle dimension",
            [a, b, a],
            [c],
            f"%0 = stablehlo.concatenate %arg0, %arg1, %arg2, dim = 1 : ({a}, {b}, {a}) -> {c}",
        ),
        program(
            "shape/concatenate_empty",
            "An empty array and a matrix",
            [e, f],
            [f],
            f"%0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : ({e}, {f}) -> {f}",
        ),
    ]


def iota_plus(dtype: str) -> Program:
    """iota as part of a computation: an output that depends on position and on the argument."""
    t, s = tensor(dtype, 3, 4), tensor(dtype)
    body = f"""%i = stablehlo.iota dim = 1 : {t}
%b = stablehlo.broadcast_in_dim %arg0, dims = [] : ({s}) -> {t}
%0 = stablehlo.add %i, %b : {t}"""
    return program(f"shape/iota_plus_{dtype}", "The column index plus a scalar", [s], [t], body)


def programs() -> list[Program]:
    return [
        *(p for dtype in ("f32", "s32", "bf16", "u8", "pred", "c64") for p in moves(dtype)),
        *ranks(),
        *pads(),
        *concatenations(),
        iota("s32", 0, 8),
        iota("s32", 0, 10007, suffix="_10007"),
        iota("f32", 1, 2, 3),
        iota("u8", 0, 3, 2),
        iota("bf16", 2, 2, 2, 4),
        iota_plus("f32"),
        iota_plus("s32"),
        sort("sort_f32", "Ascending", "f32", (16,), 0, "LT"),
        sort("sort_s32_descending", "Descending", "s32", (16,), 0, "GT"),
        sort("sort_rows_f32", "Each row ascending", "f32", (4, 8), 1, "LT"),
        sort("sort_columns_s32", "Each column ascending", "s32", (4, 8), 0, "LT"),
        sort_pairs(),
    ]
