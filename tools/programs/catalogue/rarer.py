"""rarer: operations that frameworks seldom send, or no longer; rng: numbers of a distribution."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

UNINTERPRETED = "the interpreter does not have it"


def rarer(name: str, about: str, inputs: list[str], outputs: list[str], body: str, **more) -> Program:
    return program(f"rarer/{name}", about, inputs, outputs, body, **more)


def products() -> list[Program]:
    a, b, ab = tensor("f32", 5, 7), tensor("f32", 7, 3), tensor("f32", 5, 3)
    v, scalar, row = tensor("f32", 7), tensor("f32"), tensor("f32", 5)
    batch_a, batch_b, batch_ab = tensor("f32", 2, 5, 7), tensor("f32", 2, 7, 3), tensor("f32", 2, 5, 3)
    more = {"uninterpreted": UNINTERPRETED}

    def dot(name: str, about: str, x: str, y: str, z: str) -> Program:
        return rarer(name, about, [x, y], [z], f"%0 = stablehlo.dot %arg0, %arg1 : ({x}, {y}) -> {z}", **more)

    def einsum(name: str, config: str, x: str, y: str, z: str) -> Program:
        text = f'%0 = stablehlo.einsum %arg0, %arg1, config = "{config}" : ({x}, {y}) -> {z}'
        return rarer(name, f"einsum {config}", [x, y], [z], text, **more)

    def unary(name: str, config: str, x: str, z: str) -> Program:
        text = f'%0 = stablehlo.unary_einsum %arg0, config = "{config}" : ({x}) -> {z}'
        return rarer(name, f"einsum {config}", [x], [z], text, **more)

    return [
        dot("dot_vectors", "The product of two vectors", v, v, scalar),
        dot("dot_matrix_vector", "A matrix times a vector", a, v, row),
        dot("dot_matrices", "The product of two matrices", a, b, ab),
        einsum("einsum_matrices", "ij,jk->ik", a, b, ab),
        einsum("einsum_transposed", "ij,jk->ki", a, b, tensor("f32", 3, 5)),
        einsum("einsum_batch", "bij,bjk->bik", batch_a, batch_b, batch_ab),
        unary("unary_einsum_sum", "ij->i", a, row),
        unary("unary_einsum_transpose", "ij->ji", a, tensor("f32", 7, 5)),
    ]


def moves() -> list[Program]:
    x, wide = tensor("f32", 2, 3), tensor("f32", 4, 5, 2, 3)
    s = tensor("s32")
    source, rows = tensor("f32", 5, 4), tensor("s32", 3)
    batched, chosen = tensor("f32", 2, 5, 4), tensor("s32", 2, 3)
    more = {"uninterpreted": UNINTERPRETED}
    return [
        rarer(
            "broadcast",
            "x along two new leading dimensions",
            [x],
            [wide],
            f"%0 = stablehlo.broadcast %arg0, sizes = [4, 5] : ({x}) -> {wide}",
            **more,
        ),
        rarer(
            "get_dimension_size",
            "The sizes of the dimensions of x",
            [x],
            [s, s],
            f"%0 = stablehlo.get_dimension_size %arg0, dim = 0 : ({x}) -> {s}\n"
            f"%1 = stablehlo.get_dimension_size %arg0, dim = 1 : ({x}) -> {s}",
            results="%0, %1",
        ),
        rarer(
            "index_select_rows",
            "Rows by number",
            [source, rows],
            [tensor("f32", 3, 4)],
            '%0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{dim = 0 : i64, batch_dims = 0 : i64}> : '
            f"({source}, {rows}) -> {tensor('f32', 3, 4)}",
            **more,
        ),
        rarer(
            "index_select_columns",
            "Columns by number",
            [source, rows],
            [tensor("f32", 5, 3)],
            '%0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{dim = 1 : i64, batch_dims = 0 : i64}> : '
            f"({source}, {rows}) -> {tensor('f32', 5, 3)}",
            **more,
        ),
        rarer(
            "index_select_batched",
            "Rows by number, other ones in each batch",
            [batched, chosen],
            [tensor("f32", 2, 3, 4)],
            '%0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{dim = 1 : i64, batch_dims = 1 : i64}> : '
            f"({batched}, {chosen}) -> {tensor('f32', 2, 3, 4)}",
            **more,
        ),
    ]


def structure() -> list[Program]:
    x, y = tensor("f32", 131), tensor("s32", 131)
    pair = f"tuple<{x}, {y}>"
    return [
        rarer(
            "tuple",
            "The elements of a tuple, in reverse order",
            [x, y],
            [y, x],
            f"%t = stablehlo.tuple %arg0, %arg1 : {pair}\n"
            f"%0 = stablehlo.get_tuple_element %t[1] : ({pair}) -> {y}\n"
            f"%1 = stablehlo.get_tuple_element %t[0] : ({pair}) -> {x}",
            results="%0, %1",
        ),
        rarer(
            "tuple_nested",
            "An element of a tuple in a tuple",
            [x, y],
            [x],
            f"%t = stablehlo.tuple %arg0, %arg1 : {pair}\n"
            f"%n = stablehlo.tuple %arg1, %t : tuple<{y}, {pair}>\n"
            f"%i = stablehlo.get_tuple_element %n[1] : (tuple<{y}, {pair}>) -> {pair}\n"
            f"%0 = stablehlo.get_tuple_element %i[0] : ({pair}) -> {x}",
        ),
        rarer(
            "map",
            "2a - b, computed by a region for each element",
            [x, x],
            [x],
            f"""%0 = "stablehlo.map"(%arg0, %arg1) <{{dimensions = array<i64: 0>}}> ({{
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %t = stablehlo.add %a, %a : tensor<f32>
  %d = stablehlo.subtract %t, %b : tensor<f32>
  stablehlo.return %d : tensor<f32>
}}) : ({x}, {x}) -> {x}""",
        ),
        rarer(
            "map_to_pred",
            "Whether a < b, computed by a region for each element of matrices",
            [tensor("s32", 5, 7), tensor("s32", 5, 7)],
            [tensor("pred", 5, 7)],
            f"""%0 = "stablehlo.map"(%arg0, %arg1) <{{dimensions = array<i64: 0, 1>}}> ({{
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %d = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %d : tensor<i1>
}}) : ({tensor("s32", 5, 7)}, {tensor("s32", 5, 7)}) -> {tensor("pred", 5, 7)}""",
        ),
        rarer(
            "after_all",
            "-x, beside tokens that are joined",
            [x],
            [x],
            "%t = stablehlo.create_token : !stablehlo.token\n"
            "%u = stablehlo.after_all %t : !stablehlo.token\n"
            "%v = stablehlo.after_all %t, %u : !stablehlo.token\n"
            f"%0 = stablehlo.negate %arg0 : {x}",
            uninterpreted=UNINTERPRETED,
        ),
    ]


def reduced(result: str, op: str, of: str, start: str, dtype: str) -> str:
    scalar, many = tensor(dtype), tensor(dtype, DRAWN)
    return (
        f"%start_{result} = stablehlo.constant dense<{start}> : {scalar}\n"
        f"%{result} = stablehlo.reduce(%{of} init: %start_{result}) applies stablehlo.{op} across dimensions = [0] : "
        f"({many}, {scalar}) -> {scalar}"
    )


def compared(result: str, direction: str, to: str, dtype: str) -> str:
    """Whether each number is on this side of a scalar."""
    scalar, many, p = tensor(dtype), tensor(dtype, DRAWN), tensor("pred", DRAWN)
    return (
        f"%b_{result} = stablehlo.broadcast_in_dim %{to}, dims = [] : ({scalar}) -> {many}\n"
        f"%{result} = stablehlo.compare {direction}, %x, %b_{result} : ({many}, {many}) -> {p}"
    )


DRAWN = 1021
LIMITS = {
    "s32": ("-2147483648", "2147483647"),
    "s64": ("-9223372036854775808", "9223372036854775807"),
    "u32": ("0", "4294967295"),
}


def drawn(dtype: str, kind: str) -> str:
    scalar = tensor(dtype)
    return (
        f"%s = stablehlo.constant dense<[{DRAWN}]> : tensor<1xi64>\n"
        f"%x = stablehlo.rng %arg0, %arg1, %s, distribution = {kind} : "
        f"({scalar}, {scalar}, tensor<1xi64>) -> {tensor(dtype, DRAWN)}"
    )


def distributions() -> list[Program]:
    """The numbers are judged by the program: they are another draw in every run."""
    found = []
    yes = tensor("pred")
    for dtype, (least, most) in LIMITS.items():
        scalar = tensor(dtype)
        body = [
            drawn(dtype, "UNIFORM"),
            reduced("0", "minimum", "x", most, dtype),
            reduced("1", "maximum", "x", least, dtype),
        ]
        about = f"The least and the greatest of {DRAWN} uniform integers from a up to b"
        found.append(
            program(
                f"rng/uniform_{dtype}",
                about,
                [scalar, scalar],
                [scalar, scalar],
                "\n".join(body),
                results="%0, %1",
                uninterpreted=UNINTERPRETED,
            )
        )
    for dtype, kind in (("f32", "UNIFORM"), ("f64", "UNIFORM"), ("bf16", "UNIFORM"), ("f32", "NORMAL")):
        scalar, many = tensor(dtype), tensor("pred", DRAWN)
        body = [
            drawn(dtype, kind),
            compared("c0", "GE", "arg2", dtype),
            compared("c1", "LT", "arg3", dtype),
            compared("c2", "LT", "arg4", dtype),
            compared("c3", "GT", "arg5", dtype),
            f"%c = stablehlo.and %c0, %c1 : {many}",
            reduced("0", "and", "c", "true", "pred"),
            reduced("1", "or", "c2", "false", "pred"),
            reduced("2", "or", "c3", "false", "pred"),
        ]
        words = "uniform numbers from a up to b" if kind == "UNIFORM" else "normal numbers of mean a and deviation b"
        found.append(
            program(
                f"rng/{kind.lower()}_{dtype}",
                f"Whether {DRAWN} {words} are all in [c, d), one is below e, one is above f",
                [scalar] * 6,
                [yes, yes, yes],
                "\n".join(body),
                results="%0, %1, %2",
                uninterpreted=UNINTERPRETED,
            )
        )
    return found


def programs() -> list[Program]:
    return [*products(), *moves(), *structure(), *distributions()]
