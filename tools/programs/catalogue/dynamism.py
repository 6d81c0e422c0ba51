"""dynamic: operations that take their sizes as operands, as exports of shape-polymorphic programs have them."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program


def sizes(name: str, *values: int) -> str:
    return f"%{name} = stablehlo.constant dense<{list(values)}> : {tensor('s32', len(values))}\n"


def index(*, rank: int) -> str:
    return tensor("s32", rank)


def shaped() -> list[Program]:
    """The sizes are constants, which is what is left of dimension variables when the shapes of the arguments are known."""
    x, column = tensor("f32", 2, 3), tensor("f32", 3)
    two, one = index(rank=2), index(rank=1)
    scalar = tensor("f32")
    gather = (
        "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
    )
    table, rows, found = tensor("f32", 5, 4), tensor("s32", 3), tensor("f32", 3, 2)
    image, kernel = tensor("f32", 1, 4, 5, 1), tensor("f32", 2, 3, 1, 1)
    filtered = tensor("f32", 1, 4, 6, 1)
    computed = (
        "%n = stablehlo.get_dimension_size %arg0, dim = 1 : "
        f"({x}) -> {tensor('s32')}\n"
        f"%two = stablehlo.constant dense<2> : {tensor('s32')}\n"
        f"%double = stablehlo.multiply %n, %two : {tensor('s32')}\n"
        f"%sizes = stablehlo.reshape %double : ({tensor('s32')}) -> {one}\n"
        f"%line = stablehlo.dynamic_reshape %arg0, %sizes : ({x}, {one}) -> {tensor('f32', 6)}\n"
        f"%numbers = stablehlo.dynamic_iota %sizes, dim = 0 : ({one}) -> {tensor('f32', 6)}\n"
        f"%0 = stablehlo.add %line, %numbers : {tensor('f32', 6)}"
    )
    return [
        program(
            "dynamic/broadcast",
            "A row repeated, dimensions exchanged, to sizes in an operand",
            [column],
            [tensor("f32", 3, 4)],
            sizes("s", 3, 4) + f"%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %s, dims = [0] : ({column}, {two}) -> "
            f"{tensor('f32', 3, 4)}",
        ),
        program(
            "dynamic/broadcast_expanding",
            "A dimension of one repeated, as known_expanding_dimensions says",
            [tensor("f32", 1, 3)],
            [tensor("f32", 4, 3)],
            sizes("s", 4, 3)
            + '%0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %s) {broadcast_dimensions = array<i64: 0, 1>, '
            "known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : "
            f"({tensor('f32', 1, 3)}, {two}) -> {tensor('f32', 4, 3)}",
        ),
        program(
            "dynamic/reshape",
            "The elements in order, with sizes in an operand",
            [x],
            [tensor("f32", 3, 2)],
            sizes("s", 3, 2) + f"%0 = stablehlo.dynamic_reshape %arg0, %s : ({x}, {two}) -> {tensor('f32', 3, 2)}",
        ),
        program(
            "dynamic/iota",
            "Numbers along the second of three dimensions",
            [],
            [tensor("s32", 2, 5, 3)],
            sizes("s", 2, 5, 3)
            + f"%0 = stablehlo.dynamic_iota %s, dim = 1 : ({index(rank=3)}) -> {tensor('s32', 2, 5, 3)}",
        ),
        program(
            "dynamic/pad",
            "Other amounts below, above and between in each dimension; rows are cut off above",
            [x, scalar],
            [tensor("f32", 4, 8)],
            sizes("low", 2, 1)
            + sizes("high", -1, 2)
            + sizes("inner", 1, 1)
            + f"%0 = stablehlo.dynamic_pad %arg0, %arg1, %low, %high, %inner : "
            f"({x}, {scalar}, {two}, {two}, {two}) -> {tensor('f32', 4, 8)}",
        ),
        program(
            "dynamic/slice",
            "Rows 1 and 3, and every third of the columns from 1 to 10",
            [tensor("f32", 5, 11)],
            [tensor("f32", 2, 3)],
            sizes("start", 1, 1)
            + sizes("limit", 4, 10)
            + sizes("stride", 2, 3)
            + f"%0 = stablehlo.real_dynamic_slice %arg0, %start, %limit, %stride : "
            f"({tensor('f32', 5, 11)}, {two}, {two}, {two}) -> {tensor('f32', 2, 3)}",
            uninterpreted="the interpreter does not support real_dynamic_slice",
        ),
        program(
            "dynamic/gather",
            "The first two elements of the rows that an argument lists",
            [table, rows],
            [found],
            sizes("s", 1, 2)
            + f'%0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %s) {{dimension_numbers = {gather}, '
            f"indices_are_sorted = false}} : ({table}, {rows}, {two}) -> {found}",
        ),
        program(
            "dynamic/convolution",
            "A filter over an image with other padding on each side",
            [image, kernel],
            [filtered],
            f"%p = stablehlo.constant dense<[[1, 0], [0, 3]]> : {tensor('s32', 2, 2)}\n"
            '%0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %p) {window_strides = array<i64: 1, 1>, '
            "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
            "feature_group_count = 1 : i64, batch_group_count = 1 : i64} : "
            f"({image}, {kernel}, {tensor('s32', 2, 2)}) -> {filtered}",
        ),
        program(
            "dynamic/size",
            "The size of each dimension",
            [tensor("f32", 3, 5)],
            [tensor("s32"), tensor("s32")],
            "".join(
                f"%{i} = stablehlo.get_dimension_size %arg0, dim = {i} : ({tensor('f32', 3, 5)}) -> {tensor('s32')}\n"
                for i in range(2)
            ),
            results="%0, %1",
        ),
        program(
            "dynamic/computed",
            "x as a line plus its positions; the size of the line is computed from that of x, as JAX's exports do",
            [x],
            [tensor("f32", 6)],
            computed,
        ),
    ]


def unknown() -> list[Program]:
    """Sizes that are not known when the program is compiled."""
    x, one = tensor("f32", 6), index(rank=1)
    bounded = "tensor<?xf32, #stablehlo.bounds<6>>"
    scalar, number = tensor("f32"), tensor("s32")
    open_ended = "tensor<?xf32>"
    why = "the interpreter has no unknown sizes"
    return [
        program(
            "dynamic/bounded_sum",
            "The sum of the first arg1 of six elements",
            [x, number],
            [scalar],
            f"%n = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : ({x}, {number}) -> {bounded}\n"
            f"%zero = stablehlo.constant dense<0.0> : {scalar}\n"
            f"%0 = stablehlo.reduce(%n init: %zero) applies stablehlo.add across dimensions = [0] : "
            f"({bounded}, {scalar}) -> {scalar}",
            uninterpreted=why,
        ),
        program(
            "dynamic/open_inside",
            "x through a reshape to a size that only an argument knows",
            [x, one],
            [x],
            f"%y = stablehlo.dynamic_reshape %arg0, %arg1 : ({x}, {one}) -> {open_ended}\n"
            f"%z = stablehlo.add %y, %y : {open_ended}\n"
            f"%s = stablehlo.constant dense<6> : {one}\n"
            f"%0 = stablehlo.dynamic_broadcast_in_dim %z, %s, dims = [0] : ({open_ended}, {one}) -> {x}",
            uninterpreted=why,
        ),
    ]


def programs() -> list[Program]:
    return [*shaped(), *unknown()]
