"""outputs, args and identity: what goes in and comes out, where the computation itself does not matter."""

from __future__ import annotations

from dtypes import MLIR, tensor
from program import OLDEST, Program, program

V = tensor("f32", 4)


def outputs() -> list[Program]:
    i, p = tensor("s32", 2, 3), tensor("pred", 5)
    s, m, e = tensor("f32"), tensor("f32", 2, 3), tensor("f32", 0)
    negated = f"%a = stablehlo.negate %arg0 : {V}"
    return [
        program("outputs/none", "No output at all", [V], [], negated, oldest=OLDEST),
        program("outputs/one", "One output", [V], [V], negated, results="%a"),
        program(
            "outputs/three",
            "x + x, x x and -x",
            [V],
            [V, V, V],
            f"{negated}\n%b = stablehlo.add %arg0, %arg0 : {V}\n%c = stablehlo.multiply %arg0, %arg0 : {V}",
            results="%b, %c, %a",
            oldest=OLDEST,
        ),
        program(
            "outputs/mixed_types",
            "f32[4], s32[2,3] and pred[5], each changed a little",
            [V, i, p],
            [V, i, p],
            f"{negated}\n%b = stablehlo.add %arg1, %arg1 : {i}\n%c = stablehlo.not %arg2 : {p}",
            results="%a, %b, %c",
            oldest=OLDEST,
        ),
        program(
            "outputs/scalar_vector_matrix",
            "Ranks 0, 1 and 2",
            [s, V, m],
            [s, V, m],
            f"%a = stablehlo.negate %arg0 : {s}\n%b = stablehlo.negate %arg1 : {V}\n%c = stablehlo.negate %arg2 : {m}",
            results="%a, %b, %c",
            oldest=OLDEST,
        ),
        program("outputs/same_twice", "One value as both outputs", [V], [V, V], negated, results="%a, %a"),
        program("outputs/input_twice", "The input as both outputs", [V], [V, V], "", results="%arg0, %arg0"),
        program("outputs/input_and_result", "The input unchanged, and -x", [V], [V, V], negated, results="%arg0, %a"),
        program(
            "outputs/empty", "An output without elements", [V], [e], f"%0 = stablehlo.slice %arg0 [4:4] : ({V}) -> {e}"
        ),
        program("outputs/swapped", "Two inputs in the other order", [V, m], [m, V], "", results="%arg1, %arg0"),
        program(
            "outputs/many",
            "Sixteen outputs: x, 2x, 3x, ...",
            [V],
            [V] * 16,
            "\n".join(
                f"%s{i} = stablehlo.add {'%arg0' if i == 1 else f'%s{i - 1}'}, %arg0 : {V}" for i in range(1, 16)
            ),
            results=", ".join(["%arg0", *(f"%s{i}" for i in range(1, 16))]),
        ),
    ]


def many(count: int) -> Program:
    """A sum in which each argument has a weight of its own, so that no two can be exchanged unnoticed."""
    lines, last = [], None
    for i in range(count):
        lines.append(f"%w{i} = stablehlo.constant dense<{i + 1}> : {tensor('s32', 4)}")
        lines.append(f"%p{i} = stablehlo.multiply %arg{i}, %w{i} : {tensor('s32', 4)}")
        if last is not None:
            lines.append(f"%s{i} = stablehlo.add {last}, %p{i} : {tensor('s32', 4)}")
        last = f"%p{i}" if last is None else f"%s{i}"
    t = tensor("s32", 4)
    return program(
        f"args/many_{count}",
        f"1 arg0 + 2 arg1 + ... over {count} arguments",
        [t] * count,
        [t],
        "\n".join(lines),
        results=last,
    )


def args() -> list[Program]:
    t, m = tensor("s32", 8), tensor("f32", 2, 3)
    e = tensor("f32", 0)
    return [
        program(
            "args/none", "0 1 2 ... without any argument", [], [t], f"%0 = stablehlo.iota dim = 0 : {t}", oldest=OLDEST
        ),
        program("args/none_no_outputs", "Neither arguments nor outputs", [], [], "", oldest=OLDEST),
        program(
            "args/two",
            "x - y: the order matters",
            [V, V],
            [V],
            f"%0 = stablehlo.subtract %arg0, %arg1 : {V}",
            oldest=OLDEST,
        ),
        program("args/unused", "The second argument is never read", [V, m], [V], f"%0 = stablehlo.negate %arg0 : {V}"),
        program("args/empty", "An argument without elements", [e], [e], f"%0 = stablehlo.negate %arg0 : {e}"),
        many(32),
        many(200),
    ]


def identity(dtype: str, *shape: int, name: str | None = None) -> Program:
    t = tensor(dtype, *shape)
    return program(f"identity/{name or dtype}", "The input, unchanged", [t], [t], "", results="%arg0")


def identities() -> list[Program]:
    return [
        *(identity(dtype, 2, 3) for dtype in MLIR),
        identity("f32", name="scalar"),
        identity("f32", 0, name="empty"),
        identity("f32", 2, 0, 3, name="empty_rank3"),
        identity("f32", 1, 1, 1, 1, 1, 1, name="rank6_ones"),
        identity("f32", 1024, name="f32_1024"),
    ]


def programs() -> list[Program]:
    return [*outputs(), *args(), *identities()]
