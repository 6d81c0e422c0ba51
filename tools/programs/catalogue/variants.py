"""variant: the attributes of operations that move windows or indices, each in the values that programs of users have."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

COMPLEX = "the interpreter's bindings cannot return complex arrays"


def convolution(
    name: str,
    about: str,
    left: tuple[int, ...],
    right: tuple[int, ...],
    result: tuple[int, ...],
    numbers: str,
    *,
    window: str = "",
    feature_groups: int = 1,
    batch_groups: int = 1,
    dtype: str = "f32",
    to: str | None = None,
    group: str = "variant/conv_",
    **more,
) -> Program:
    a, b, c = tensor(dtype, *left), tensor(dtype, *right), tensor(to or dtype, *result)
    body = (
        f"%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = {numbers}, window = {{{window}}} "
        f"{{batch_group_count = {batch_groups} : i64, feature_group_count = {feature_groups} : i64}} : ({a}, {b}) -> {c}"
    )
    return program(f"{group}{name}", about, [a, b], [c], body, **more)


def convolutions() -> list[Program]:
    last = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
    first = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
    return [
        convolution("negative", "The edges cut off by padding below zero", (2, 7, 9, 3), (3, 2, 3, 4), (2, 4, 6, 4),
                    last, window="pad = [[-1, 0], [1, -3]]"),
        convolution("lhs_dilated", "Zeros between the elements of the image, as in gradients", (2, 4, 5, 3),
                    (3, 3, 3, 2), (2, 7, 13, 2), last, window="pad = [[1, 1], [1, 1]], lhs_dilate = [2, 3]"),
        convolution("both_dilated", "Image and filter spread, with strides", (1, 5, 6, 2), (2, 3, 2, 3), (1, 4, 3, 3),
                    last, window="stride = [2, 3], pad = [[0, 1], [2, -1]], lhs_dilate = [2, 2], rhs_dilate = [3, 2]"),
        convolution("reversed", "The filter turned around in one dimension", (1, 6, 7, 2), (3, 2, 2, 3), (1, 4, 6, 3),
                    last, window="reverse = [true, false]"),
        convolution("reversed_both", "The filter turned around in both dimensions", (1, 6, 7, 2), (3, 2, 2, 3),
                    (1, 4, 6, 3), last, window="reverse = [true, true]"),
        convolution("feature_groups", "Three groups of channels, two filters each", (2, 5, 6, 6), (2, 3, 2, 6),
                    (2, 4, 4, 6), last, feature_groups=3),
        convolution("depthwise_multiplied", "Three channels with two filters each", (2, 5, 6, 3), (3, 3, 1, 6),
                    (2, 3, 4, 6), last, feature_groups=3),
        convolution("batch_groups", "The batch in two groups, as in gradients of filters", (4, 5, 6, 3), (2, 3, 3, 6),
                    (2, 4, 4, 6), last, batch_groups=2),
        convolution("channels_first", "Channels first in all three", (2, 3, 6, 7), (4, 3, 2, 3), (2, 4, 5, 5), first),
        convolution("mixed_order", "Three different orders of dimensions", (6, 2, 3, 7), (3, 4, 2, 3), (4, 5, 5, 2),
                    "[0, b, f, 1]x[i, o, 0, 1]->[f, 0, 1, b]",
                    uninterpreted="the interpreter aborts at this order of dimensions"),
        convolution("swapped", "The second spatial dimension first in the filter", (2, 6, 7, 3), (3, 2, 3, 4),
                    (2, 5, 5, 4), "[b, 0, 1, f]x[1, 0, i, o]->[b, 0, 1, f]"),
        convolution("1d", "One dimension, a filter of five, padded on both sides", (2, 131, 3), (5, 3, 4), (2, 66, 4),
                    "[b, 0, f]x[0, i, o]->[b, 0, f]", window="stride = [2], pad = [[2, 2]]"),
        convolution("1d_depthwise", "Causal: each channel with a filter of its own", (2, 33, 4), (4, 1, 4), (2, 33, 4),
                    "[b, 0, f]x[0, i, o]->[b, 0, f]", window="pad = [[3, 0]]", feature_groups=4),
        convolution("3d", "Three dimensions", (1, 4, 5, 6, 2), (2, 3, 2, 2, 3), (1, 4, 3, 3, 3),
                    "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
                    window="stride = [1, 1, 2], pad = [[1, 0], [0, 0], [0, 0]]"),
        convolution("1x1", "A filter of one element: a matrix product", (2, 5, 7, 9), (1, 1, 9, 11), (2, 5, 7, 11), last),
        convolution("whole", "A filter as large as the image", (2, 5, 7, 3), (5, 7, 3, 2), (2, 1, 1, 2), last),
    ]  # fmt: skip


def window(name: str, about: str, op: str, source, target, attributes: str, dtype: str, start: str) -> Program:
    a, s, b = tensor(dtype, *source), tensor(dtype), tensor(dtype, *target)
    body = f"""%init = stablehlo.constant dense<{start}> : {s}
%0 = "stablehlo.reduce_window"(%arg0, %init) <{{{attributes}}}> ({{
^bb0(%a: {s}, %c: {s}):
  %d = stablehlo.{op} %a, %c : {s}
  stablehlo.return %d : {s}
}}) : ({a}, {s}) -> {b}"""
    return program(f"variant/window_{name}", about, [a], [b], body)


def pads(*pairs: tuple[int, int]) -> str:
    return f"padding = dense<{[list(p) for p in pairs]}> : tensor<{len(pairs)}x2xi64>"


def sizes(key: str, *values: int) -> str:
    return f"{key} = array<i64: {', '.join(map(str, values))}>"


def windows() -> list[Program]:
    two = tensor("f32", 6, 9), tensor("s32", 6, 9)
    out = tensor("f32", 3, 4), tensor("s32", 3, 4)
    s, i = tensor("f32"), tensor("s32")
    several = f"""%x = stablehlo.constant dense<0.0> : {s}
%y = stablehlo.constant dense<-2147483648> : {i}
%0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %x, %y) <{{{sizes("window_dimensions", 2, 3)}, {sizes("window_strides", 2, 2)}}}> ({{
^bb0(%a: {s}, %b: {i}, %c: {s}, %d: {i}):
  %e = stablehlo.add %a, %c : {s}
  %f = stablehlo.maximum %b, %d : {i}
  stablehlo.return %e, %f : {s}, {i}
}}) : ({two[0]}, {two[1]}, {s}, {i}) -> ({out[0]}, {out[1]})"""
    return [
        window("same", "Average pooling's sum with padding as SAME gives", "add", (2, 7, 9, 3), (2, 4, 5, 3),
               ", ".join([sizes("window_dimensions", 1, 3, 3, 1), sizes("window_strides", 1, 2, 2, 1),
                          pads((0, 0), (1, 1), (1, 1), (0, 0))]), "f32", "0.0"),
        window("max_same", "Maximum pooling with padding", "maximum", (2, 7, 9, 3), (2, 4, 5, 3),
               ", ".join([sizes("window_dimensions", 1, 2, 3, 1), sizes("window_strides", 1, 2, 2, 1),
                          pads((0, 0), (0, 1), (1, 1), (0, 0))]), "f32", "0xFF800000"),
        window("dilated", "Windows of every second row and third column", "add", (7, 11), (5, 5),
               ", ".join([sizes("window_dimensions", 2, 3), sizes("window_dilations", 2, 3)]), "f32", "0.0"),
        window("base_dilated", "Holes between the elements", "add", (5, 7), (8, 18),
               ", ".join([sizes("window_dimensions", 2, 2), sizes("base_dilations", 2, 3)]), "f32", "0.0"),
        window("base_dilated_padded", "Holes, padding above and below zero, strides", "add", (5, 7), (5, 4),
               ", ".join([sizes("window_dimensions", 2, 3), sizes("window_strides", 2, 3),
                          sizes("base_dilations", 2, 2), pads((1, 0), (2, -1))]), "s32", "0"),
        window("negative", "The edges cut off", "maximum", (7, 9), (4, 6),
               ", ".join([sizes("window_dimensions", 2, 2), pads((-1, -1), (-2, 0))]), "s32", "-2147483648"),
        program("variant/window_two", "Two arrays at once, each with an operation of its own", list(two), list(out),
                several, results="%0#0, %0#1"),
    ]  # fmt: skip


def gather(name: str, about: str, operand, indices, result, dims: str, slices, *, dtype="f32", index="s32",
           ordered=False) -> Program:  # fmt: skip
    t, i, r = tensor(dtype, *operand), tensor(index, *indices), tensor(dtype, *result)
    body = f"""%0 = "stablehlo.gather"(%arg0, %arg1) <{{
dimension_numbers = #stablehlo.gather<{dims}>,
indices_are_sorted = {"true" if ordered else "false"}, {sizes("slice_sizes", *slices)}}}> : ({t}, {i}) -> {r}"""
    return program(f"variant/gather_{name}", about, [t, i], [r], body)


def gathers() -> list[Program]:
    rows = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
    return [
        *(gather(f"rows_{index}", "Rows by numbers of another type", (5, 4), (7, 1), (7, 4), rows, (1, 4), index=index)
          for index in ("s8", "u8", "s16", "u16", "u32", "s64", "u64")),
        gather("windows", "Windows of two rows and three columns, none collapsed", (6, 7), (5, 2), (5, 2, 3),
               "offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1", (2, 3)),
        gather("offset_first", "Offsets before batch dimensions", (6, 7), (3, 2), (4, 3, 2),
               "offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2", (1, 4)),
        gather("vector_first", "Index vectors along the first dimension, in the order column, row", (6, 7), (2, 5),
               (5,), "collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0", (1, 1)),
        gather("columns", "Columns by number", (5, 7), (4, 1), (5, 4),
               "offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1", (5, 1)),
        gather("batching", "One element of each row: take_along_axis", (5, 7), (5, 3, 1), (5, 3),
               "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
               "start_index_map = [1], index_vector_dim = 2", (1, 1)),
        gather("batching_crossed", "Two batching dimensions in another order in the indices", (3, 4, 6, 2),
               (4, 5, 3, 1), (4, 5, 3, 2),
               "offset_dims = [3], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], "
               "start_indices_batching_dims = [2, 0], start_index_map = [2], index_vector_dim = 3", (1, 1, 1, 2)),
        gather("sorted", "Rows in ascending order, with the promise that they are", (9, 4), (6, 1), (6, 4), rows,
               (1, 4), ordered=True),
    ]  # fmt: skip


def scatter(name: str, about: str, operand, indices, updates, dims: str, combine: str, *, dtype="f32", index="s32",
            ordered=False, unique=False, group="variant/scatter_") -> Program:  # fmt: skip
    t, i, u, s = tensor(dtype, *operand), tensor(index, *indices), tensor(dtype, *updates), tensor(dtype)
    region = (
        "stablehlo.return %b" if combine == "replace" else f"%c = stablehlo.{combine} %a, %b : {s}\nstablehlo.return %c"
    )
    body = f"""%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{{
indices_are_sorted = {"true" if ordered else "false"}, scatter_dimension_numbers = #stablehlo.scatter<{dims}>,
unique_indices = {"true" if unique else "false"}}}> ({{
^bb0(%a: {s}, %b: {s}):
{region} : {s}
}}) : ({t}, {i}, {u}) -> {t}"""
    return program(f"{group}{name}", about, [t, i, u], [t], body)


SCATTER_ROWS = (
    "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
)


def scatters() -> list[Program]:
    rows = SCATTER_ROWS
    elements = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
    return [
        *(scatter(f"rows_{index}", "Rows added at numbers of another type", (5, 4), (7, 1), (7, 4), rows, "add",
                  index=index) for index in ("s8", "u8", "s16", "u16", "u32", "s64", "u64")),
        *(scatter(f"rows_{op}", f"Rows combined by {op}", (5, 4), (7, 1), (7, 4), rows, op, dtype="s32")
          for op in ("add", "multiply", "minimum", "maximum", "and", "or", "xor")),
        scatter("histogram", "A count of 2049 numbers: most indices repeat", (37,), (2049, 1), (2049,), elements, "add",
                dtype="s32"),
        scatter("windows", "Windows of two rows and three columns added where they may overlap", (6, 7), (5, 2),
                (5, 2, 3), "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
                "add"),
        scatter("elements", "Single elements by column and row", (6, 7), (2, 9), (9,),
                "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0", "add"),
        scatter("columns", "Columns, with the window first in the updates", (5, 7), (4, 1), (5, 4),
                "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], "
                "index_vector_dim = 1", "add"),
        scatter("batching", "Elements of each row: the gradient of take_along_axis", (5, 7), (5, 6, 1), (5, 6),
                "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
                "scatter_dims_to_operand_dims = [1], index_vector_dim = 2", "add"),
        scatter("sorted_unique", "Rows replaced, with the promise that they ascend and differ", (9, 4), (5, 1), (5, 4),
                rows, "replace", ordered=True, unique=True),
    ]  # fmt: skip


def product(name: str, about: str, left, right, result, batching: str, contracting: str, dtype="f32") -> Program:
    a, b, c = tensor(dtype, *left), tensor(dtype, *right), tensor(dtype, *result)
    batch = f"batching_dims = {batching}, " if batching else ""
    body = f"%0 = stablehlo.dot_general %arg0, %arg1, {batch}contracting_dims = {contracting} : ({a}, {b}) -> {c}"
    return program(f"variant/dot_{name}", about, [a, b], [c], body)


def products() -> list[Program]:
    return [
        product("batch_middle", "The batch in the middle of both", (3, 2, 4), (4, 2, 5), (2, 3, 5), "[1] x [1]",
                "[2] x [0]"),
        product("two_batches", "Two batch dimensions in another order", (2, 3, 4, 5), (3, 5, 2, 6), (2, 3, 4, 6),
                "[0, 1] x [2, 0]", "[3] x [1]"),
        product("two_contracted_crossed", "Two contracted dimensions in another order", (3, 4, 5), (5, 6, 4), (3, 6),
                "", "[1, 2] x [2, 0]"),
        product("attention", "Queries and keys of heads that are not next to the batch", (2, 7, 3, 5), (2, 6, 3, 5),
                (2, 3, 7, 6), "[0, 2] x [0, 2]", "[3] x [3]"),
        product("all_odd", "Two batch, two contracted and two free dimensions, mixed", (3, 2, 4, 5, 2, 3),
                (4, 3, 2, 2, 3, 5), (3, 2, 2, 3, 2, 3), "[0, 4] x [1, 3]", "[3, 2] x [5, 0]"),
        product("inner_batched", "Vectors of a batch", (7, 9), (7, 9), (7,), "[0] x [0]", "[1] x [1]"),
        product("batch_only", "A product without a sum", (7, 3), (7, 4), (7, 3, 4), "[0] x [0]", "[] x []"),
        product("scalar", "A scalar times a matrix", (), (3, 4), (3, 4), "", "[] x []"),
        product("free_none", "Everything contracted", (3, 4, 5), (5, 3, 4), (), "", "[0, 1, 2] x [1, 2, 0]"),
    ]  # fmt: skip


def permutations() -> list[Program]:
    shape = (2, 3, 4, 5, 6)

    def permuted(name: str, order: list[int], source: tuple[int, ...]) -> Program:
        a, b = tensor("f32", *source), tensor("f32", *(source[d] for d in order))
        body = f"%0 = stablehlo.transpose %arg0, dims = {order} : ({a}) -> {b}"
        return program(f"variant/transpose_{name}", f"Dimensions {order}", [a], [b], body)

    return [
        permuted("rank5_inner", [0, 1, 2, 4, 3], shape),
        permuted("rank5_outer", [1, 0, 2, 3, 4], shape),
        permuted("rank5_rotated", [1, 2, 3, 4, 0], shape),
        permuted("rank5_mixed", [3, 0, 4, 2, 1], shape),
        permuted("rank6", [5, 2, 0, 4, 1, 3], (2, 3, 1, 4, 3, 2)),
        permuted("heads", [0, 2, 1, 3], (2, 33, 4, 17)),
    ]


def iotas() -> list[Program]:
    return [
        program(f"variant/iota_{dtype}", f"Indices along every dimension of [3,5,7] as {dtype}", [], [t, t, t],
                "\n".join(f"%{d} = stablehlo.iota dim = {d} : {t}" for d in range(3)), results="%0, %1, %2", uninterpreted=COMPLEX if dtype == "c64" else None)
        for dtype in ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64")
        for t in [tensor(dtype, 3, 5, 7)]
    ]  # fmt: skip


def reverses() -> list[Program]:
    t = tensor("f32", 3, 5, 7)
    return [
        program(f"variant/reverse_{''.join(map(str, dims)) or 'none'}", f"Dimensions {dims} turned around", [t], [t],
                f"%0 = stablehlo.reverse %arg0, dims = {dims} : {t}")
        for dims in ([0], [1], [2], [0, 2], [0, 1, 2], [])
    ]  # fmt: skip


def sorts() -> list[Program]:
    def pairs(name: str, shape: tuple[int, ...], dimension: int, direction: str) -> Program:
        k, v, ks, vs = tensor("s32", *shape), tensor("f32", *shape), tensor("s32"), tensor("f32")
        body = f"""%0:2 = "stablehlo.sort"(%arg0, %arg1) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
^bb0(%a: {ks}, %b: {ks}, %c: {vs}, %d: {vs}):
  %e = stablehlo.compare {direction}, %a, %b, SIGNED : ({ks}, {ks}) -> tensor<i1>
  stablehlo.return %e : tensor<i1>
}}) : ({k}, {v}) -> ({k}, {v})"""
        about = f"Values carried with their keys along dimension {dimension}, {direction}"
        return program(f"variant/sort_{name}", about, [k, v], [k, v], body, results="%0#0, %0#1")

    t, s = tensor("f32", 67), tensor("f32")
    total = f"""%0 = "stablehlo.sort"(%arg0) <{{dimension = 0 : i64, is_stable = true}}> ({{
^bb0(%a: {s}, %b: {s}):
  %c = stablehlo.compare LT, %a, %b, TOTALORDER : ({s}, {s}) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}}) : ({t}) -> {t}"""
    return [
        pairs("vector", (2049,), 0, "LT"),
        pairs("descending", (2049,), 0, "GT"),
        pairs("first", (67, 3, 5), 0, "LT"),
        pairs("middle", (3, 67, 5), 1, "LT"),
        pairs("last", (3, 5, 67), 2, "GT"),
        program("variant/sort_total", "By the total order of IEEE 754", [t], [t], total),
        *(
            program(
                f"variant/compare_{direction.lower()}_total",
                f"{direction} in the total order of IEEE 754",
                [t, t],
                [tensor("pred", 67)],
                f"%0 = stablehlo.compare {direction}, %arg0, %arg1, TOTALORDER : ({t}, {t}) -> {tensor('pred', 67)}",
            )
            for direction in ("LT", "LE", "GT", "GE", "EQ", "NE")
        ),
    ]


def pad(name: str, about: str, source, target, low, high, interior) -> Program:
    a, v, b = tensor("f32", *source), tensor("f32"), tensor("f32", *target)
    body = f"%0 = stablehlo.pad %arg0, %arg1, low = {low}, high = {high}, interior = {interior} : ({a}, {v}) -> {b}"
    return program(f"variant/pad_{name}", about, [a, v], [b], body)


def paddings() -> list[Program]:
    return [
        pad("rank3", "All of it in three dimensions", (3, 4, 5), (6, 6, 11), [1, -2, 3], [0, 1, -1], [1, 1, 1]),
        pad("beyond", "More cut off than the first element", (5, 6), (3, 9), [-2, -3], [0, 1], [0, 1]),
        pad("from_empty", "Nothing but filling", (0, 3), (3, 4), [1, 0], [2, 1], [0, 0]),
        pad("to_empty", "Everything cut off", (3, 4), (0, 4), [-2, 0], [-1, 0], [0, 0]),
        pad("one", "A single element has no interior", (1, 4), (1, 13), [0, 0], [0, 0], [5, 3]),
    ]


def selections() -> list[Program]:
    t, u, s = tensor("f32", 4, 6), tensor("f32", 2, 3), tensor("f32")
    body = f"""%zero = stablehlo.constant dense<0.0> : {s}
%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %zero) <{{{sizes("window_dimensions", 2, 2)}, {sizes("window_strides", 2, 2)}}}> ({{
^bb0(%a: {s}, %b: {s}):
  %c = stablehlo.compare GE, %a, %b, FLOAT : ({s}, {s}) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}}, {{
^bb0(%a: {s}, %b: {s}):
  %c = stablehlo.add %a, %b : {s}
  stablehlo.return %c : {s}
}}) : ({t}, {u}, {s}) -> {t}"""
    overlapping = tensor("f32", 3, 5)
    body_overlapping = (
        body.replace(sizes("window_dimensions", 2, 2), sizes("window_dimensions", 2, 2))
        .replace(sizes("window_strides", 2, 2), sizes("window_strides", 1, 1))
        .replace(u, overlapping)
    )
    return [
        program("variant/select_and_scatter", "The gradient of maximum pooling", [t, u], [t], body),
        program(
            "variant/select_and_scatter_overlapping",
            "Windows that share their largest element",
            [t, overlapping],
            [t],
            body_overlapping,
        ),
    ]


def programs() -> list[Program]:
    return [
        *convolutions(),
        *windows(),
        *gathers(),
        *scatters(),
        *products(),
        *permutations(),
        *iotas(),
        *reverses(),
        *sorts(),
        *paddings(),
        *selections(),
    ]
