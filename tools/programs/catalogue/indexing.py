"""index: positions that are arguments (dynamic_slice, dynamic_update_slice, gather, scatter)."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program


def dynamic_slice(dtype: str, index: str) -> Program:
    t, i, r = tensor(dtype, 4, 5), tensor(index), tensor(dtype, 2, 3)
    return program(
        f"index/dynamic_slice_{dtype}_{index}",
        "A [2,3] window at (arg1, arg2); a start too far out is pulled back inside",
        [t, i, i],
        [r],
        f"%0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [2, 3] : ({t}, {i}, {i}) -> {r}",
    )


def dynamic_update_slice(dtype: str, index: str) -> Program:
    t, u, i = tensor(dtype, 4, 5), tensor(dtype, 2, 3), tensor(index)
    return program(
        f"index/dynamic_update_slice_{dtype}_{index}",
        "arg1 written over arg0 at (arg2, arg3); a start too far out is pulled back inside",
        [t, u, i, i],
        [t],
        f"%0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : ({t}, {u}, {i}, {i}) -> {t}",
    )


def gather_rows(dtype: str, index: str) -> Program:
    t, i, r = tensor(dtype, 5, 4), tensor(index, 3, 1), tensor(dtype, 3, 4)
    dims = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
    body = f"""%0 = "stablehlo.gather"(%arg0, %arg1) <{{
dimension_numbers = #stablehlo.gather<{dims}>,
indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}}> : ({t}, {i}) -> {r}"""
    return program(f"index/gather_rows_{dtype}_{index}", "The rows of arg0 that arg1 names", [t, i], [r], body)


def gather_elements() -> Program:
    t, i, r = tensor("f32", 5, 4), tensor("s32", 6, 2), tensor("f32", 6)
    dims = "collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1"
    body = f"""%0 = "stablehlo.gather"(%arg0, %arg1) <{{
dimension_numbers = #stablehlo.gather<{dims}>,
indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}}> : ({t}, {i}) -> {r}"""
    return program("index/gather_elements_f32", "The elements of arg0 at the pairs of arg1", [t, i], [r], body)


def scatter(name: str, about: str, dtype: str, combine: str) -> Program:
    """Rows of arg2 combined into rows of arg0 that arg1 names."""
    t, i, u, s = tensor(dtype, 5, 4), tensor("s32", 3, 1), tensor(dtype, 3, 4), tensor(dtype)
    dims = (
        "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
    )
    region = (
        "stablehlo.return %b" if combine == "replace" else f"%c = stablehlo.{combine} %a, %b : {s}\nstablehlo.return %c"
    )
    body = f"""%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{{
indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<{dims}>,
unique_indices = {"true" if combine == "replace" else "false"}}}> ({{
^bb0(%a: {s}, %b: {s}):
{region} : {s}
}}) : ({t}, {i}, {u}) -> {t}"""
    return program(f"index/{name}", about, [t, i, u], [t], body)


def scatter_unindexed(size: int) -> Program:
    """No dimension of the operand is indexed: every update goes to its whole."""
    t, i, u, s = tensor("s32", size), tensor("s32", 3, 0), tensor("s32", 3, size), tensor("s32")
    body = f"""%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{{
indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], index_vector_dim = 1>,
unique_indices = false}}> ({{
^bb0(%a: {s}, %b: {s}):
%c = stablehlo.add %a, %b : {s}
stablehlo.return %c : {s}
}}) : ({t}, {i}, {u}) -> {t}"""
    name = f"index/scatter_add_unindexed_{size}"
    return program(name, "Arrays added at an index of no dimension", [t, i, u], [t], body)


def programs() -> list[Program]:
    return [
        dynamic_slice("f32", "s32"),
        dynamic_slice("s32", "s64"),
        dynamic_slice("bf16", "u32"),
        dynamic_update_slice("f32", "s32"),
        dynamic_update_slice("s32", "s64"),
        gather_rows("f32", "s32"),
        gather_rows("s32", "s64"),
        gather_rows("bf16", "u32"),
        gather_elements(),
        scatter("scatter_add_f32", "Rows added; indices may repeat", "f32", "add"),
        scatter("scatter_add_s32", "Rows added; indices may repeat", "s32", "add"),
        scatter("scatter_max_s32", "The larger of old and new; indices may repeat", "s32", "maximum"),
        scatter_unindexed(1),
        scatter_unindexed(4),
        scatter("scatter_replace_f32", "Rows replaced; the caller keeps indices distinct", "f32", "replace"),
    ]
