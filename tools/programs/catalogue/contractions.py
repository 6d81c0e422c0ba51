"""dot and conv: products of matrices and convolutions."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

SLOW = "the interpreter takes too long for so many multiplications"


def dot(
    name: str,
    left: tuple[str, tuple[int, ...]],
    right: tuple[str, tuple[int, ...]],
    result: tuple[str, tuple[int, ...]],
    contracting: str,
    *,
    batching: str = "",
    highest: bool = False,
    about: str,
    **more,
) -> Program:
    a, b, c = tensor(left[0], *left[1]), tensor(right[0], *right[1]), tensor(result[0], *result[1])
    batch = f"batching_dims = {batching}, " if batching else ""
    precision = ", precision = [HIGHEST, HIGHEST]" if highest else ""
    dimensions = f"{batch}contracting_dims = {contracting}"
    body = f"%0 = stablehlo.dot_general %arg0, %arg1, {dimensions}{precision} : ({a}, {b}) -> {c}"
    return program(f"dot/{name}", about, [a, b], [c], body, **more)


def matmul(dtype: str, m: int, k: int, n: int, *, highest: bool = False, result: str | None = None) -> Program:
    result = result or dtype
    name = f"matmul_{m}x{k}x{n}_{dtype}" + (f"_{result}" if result != dtype else "") + ("_highest" if highest else "")
    return dot(
        name,
        (dtype, (m, k)),
        (dtype, (k, n)),
        (result, (m, n)),
        "[1] x [0]",
        highest=highest,
        about=f"[{m},{k}] times [{k},{n}]" + (" at the highest precision" if highest else ""),
        uninterpreted=SLOW if m * k * n > 100_000 else None,
    )


def shapes_of_products() -> list[Program]:
    return [
        dot(
            "batched_f32",
            ("f32", (2, 3, 4)),
            ("f32", (2, 4, 5)),
            ("f32", (2, 3, 5)),
            "[2] x [1]",
            batching="[0] x [0]",
            about="Two products, one a batch",
        ),
        dot(
            "batched_last_f32",
            ("f32", (3, 4, 2)),
            ("f32", (4, 5, 2)),
            ("f32", (2, 3, 5)),
            "[1] x [0]",
            batching="[2] x [2]",
            about="The batch in the last dimension of both operands",
        ),
        dot("vector_f32", ("f32", (16,)), ("f32", (16,)), ("f32", ()), "[0] x [0]", about="Two vectors to a scalar"),
        dot(
            "matrix_vector_f32",
            ("f32", (3, 4)),
            ("f32", (4,)),
            ("f32", (3,)),
            "[1] x [0]",
            about="A matrix and a vector",
        ),
        dot(
            "transposed_f32",
            ("f32", (4, 3)),
            ("f32", (5, 4)),
            ("f32", (3, 5)),
            "[0] x [1]",
            about="Both operands transposed",
        ),
        dot(
            "two_contractions_f32",
            ("f32", (2, 3, 4)),
            ("f32", (3, 4, 5)),
            ("f32", (2, 5)),
            "[1, 2] x [0, 1]",
            about="Two dimensions contracted at once",
        ),
        dot(
            "outer_f32",
            ("f32", (3,)),
            ("f32", (4,)),
            ("f32", (3, 4)),
            "[] x []",
            about="The outer product of two vectors",
        ),
        dot(
            "empty_contraction_f32",
            ("f32", (2, 0)),
            ("f32", (0, 3)),
            ("f32", (2, 3)),
            "[1] x [0]",
            about="Nothing to sum: all zeros",
            uninterpreted="the interpreter stops at an empty contraction",
        ),
    ]


def convolution(name: str, about: str, left, right, result, window: str, numbers: str, groups: int = 1) -> Program:
    a, b, c = tensor("f32", *left), tensor("f32", *right), tensor("f32", *result)
    body = (
        f"%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = {numbers}, window = {{{window}}} "
        f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64, "
        f"precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}} : ({a}, {b}) -> {c}"
    )
    return program(f"conv/{name}", about, [a, b], [c], body)


def programs() -> list[Program]:
    plane = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
    return [
        *(matmul(dtype, 2, 3, 4) for dtype in ("f32", "s32", "bf16", "f16", "f64", "s8", "c64")),
        matmul("f32", 2, 3, 4, highest=True),
        *(matmul("f32", 16, 32, 8, highest=highest) for highest in (False, True)),
        *(matmul("f32", 128, 128, 128, highest=highest) for highest in (False, True)),
        matmul("f32", 16, 128, 16, highest=True),
        *(matmul(dtype, 16, 32, 8) for dtype in ("s32", "bf16", "f16", "f64")),
        *(matmul(dtype, 16, 32, 8, highest=True) for dtype in ("bf16", "f16")),
        *(matmul(dtype, 16, 32, 8, result="f32") for dtype in ("bf16", "f16")),
        matmul("s8", 16, 32, 8, result="s32"),
        *(matmul(dtype, 17, 131, 13) for dtype in ("f32", "bf16", "s32")),
        *shapes_of_products(),
        convolution(
            "valid_f32",
            "3 x 3 filters over 5 x 5 images, no padding",
            (1, 5, 5, 2),
            (3, 3, 2, 3),
            (1, 3, 3, 3),
            "stride = [1, 1], pad = [[0, 0], [0, 0]]",
            plane,
        ),
        convolution(
            "strided_padded_f32",
            "Stride 2 with one row and column of zeros around",
            (1, 5, 5, 2),
            (3, 3, 2, 3),
            (1, 3, 3, 3),
            "stride = [2, 2], pad = [[1, 1], [1, 1]]",
            plane,
        ),
        convolution(
            "uneven_f32",
            "Strides, padding, images and filters that differ between the dimensions",
            (2, 7, 11, 3),
            (3, 2, 3, 5),
            (2, 3, 5, 5),
            "stride = [2, 3], pad = [[1, 0], [0, 3]]",
            plane,
        ),
        convolution(
            "dilated_f32",
            "A filter spread over every second element",
            (1, 7, 7, 1),
            (3, 3, 1, 2),
            (1, 3, 3, 2),
            "stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [2, 2]",
            plane,
        ),
        convolution(
            "depthwise_f32",
            "Each channel has a filter of its own",
            (1, 4, 4, 2),
            (2, 2, 1, 2),
            (1, 3, 3, 2),
            "stride = [1, 1], pad = [[0, 0], [0, 0]]",
            plane,
            groups=2,
        ),
        convolution(
            "one_dimension_f32",
            "Along one dimension, channels first",
            (2, 3, 8),
            (4, 3, 3),
            (2, 4, 6),
            "stride = [1], pad = [[0, 0]]",
            "[b, f, 0]x[o, i, 0]->[b, f, 0]",
        ),
    ]
