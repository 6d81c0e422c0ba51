"""Programs that suites use as subjects: the introductory function and its gradient, long runs, big arrays."""

from __future__ import annotations

from dtypes import tensor
from program import OLDEST, Program, program


def f_and_gradient(dtype: str) -> list[Program]:
    t = tensor(dtype)
    two = f"%two = stablehlo.constant dense<2.0> : {t}"
    value = f"""{two}
%s = stablehlo.sine %arg0 : {t}
%d = stablehlo.multiply %two, %s : {t}
%n = stablehlo.negate %d : {t}
%v = stablehlo.add %n, %arg0 : {t}"""
    gradient = f"""%one = stablehlo.constant dense<1.0> : {t}
%c = stablehlo.cosine %arg0 : {t}
%e = stablehlo.multiply %two, %c : {t}
%m = stablehlo.negate %e : {t}
%g = stablehlo.add %m, %one : {t}"""
    return [
        program(f"misc/f_{dtype}", "f(x) = -(2 sin x) + x", [t], [t], value, results="%v", oldest=OLDEST),
        program(
            f"misc/f_grad_{dtype}",
            "The gradient of f: -(2 cos x) + 1",
            [t],
            [t],
            f"{two}\n{gradient}",
            results="%g",
            oldest=OLDEST,
        ),
        program(
            f"misc/value_and_grad_{dtype}",
            "f(x) and its gradient as two outputs",
            [t],
            [t, t],
            f"{value}\n{gradient}",
            results="%v, %g",
            oldest=OLDEST,
        ),
    ]


def add_one(name: str, dtype: str, *shape: int) -> Program:
    t = tensor(dtype, *shape)
    one = "1.0" if dtype.startswith(("f", "bf")) else "1"
    return program(
        name,
        "x + 1",
        [t],
        [t],
        f"%one = stablehlo.constant dense<{one}> : {t}\n%0 = stablehlo.add %arg0, %one : {t}",
        oldest=OLDEST,
    )


def long_running(name: str, where: str = "", **attributes) -> Program:
    """Work that the compiler cannot fold: the trip count is an argument and each step needs the one before."""
    n, v = tensor("s32"), tensor("f32", 64)
    body = f"""%zero = stablehlo.constant dense<0> : {n}
%one = stablehlo.constant dense<1> : {n}
%half = stablehlo.constant dense<0.5> : {v}
%add = stablehlo.constant dense<1.0> : {v}
%r:2 = stablehlo.while(%i = %zero, %x = %arg1) : {n}, {v}
cond {{
  %go = stablehlo.compare LT, %i, %arg0, SIGNED : ({n}, {n}) -> tensor<i1>
  stablehlo.return %go : tensor<i1>
}} do {{
  %next = stablehlo.add %i, %one : {n}
  %y = stablehlo.multiply %x, %half : {v}
  %z = stablehlo.add %y, %add : {v}
  stablehlo.return %next, %z : {n}, {v}
}}"""
    return program(
        name,
        f"x/2 + 1 repeated arg0 times{where}: as long as the caller likes; every element tends to 2, and 2 stays exactly 2",
        [n, v],
        [v],
        body,
        results="%r#1",
        feed={0: 3},
        oldest=OLDEST,
        **attributes,
    )


def matmul_chain() -> Program:
    t = tensor("f32", 64, 64)
    step = "contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]"
    lines, last = [], "%arg0"
    for i in range(8):
        lines.append(f"%d{i} = stablehlo.dot_general {last}, %arg1, {step} : ({t}, {t}) -> {t}")
        last = f"%d{i}"
    return program(
        "misc/matmul_chain",
        "a b b b b b b b b: eight products that depend on each other",
        [t, t],
        [t],
        "\n".join(lines),
        results=last,
        oldest=OLDEST,
        uninterpreted="two million multiplications take the interpreter too long",
    )


def random_bits(algorithm: str, state: int, dtype: str) -> Program:
    s, r = tensor("u64", state), tensor(dtype, 16)
    return program(
        f"rng/{algorithm.lower()}_{dtype}",
        f"The next state and sixteen words of the {algorithm} generator",
        [s],
        [s, r],
        f"%s, %r = stablehlo.rng_bit_generator %arg0, algorithm = {algorithm} : ({s}) -> ({s}, {r})",
        results="%s, %r",
        uninterpreted="the interpreter does not support rng_bit_generator",
    )


def threefry() -> Program:
    """The generator of JAX, written out as JAX writes it: its keys and random numbers are this function of counters."""
    k, s, t = tensor("u32", 2), tensor("u32"), tensor("u32", 16)
    lines: list[str] = []

    def define(value: str) -> str:
        lines.append(f"%v{len(lines)} = {value}")
        return f"%v{len(lines) - 1}"

    def op(name: str, a: str, b: str, dtype: str = t) -> str:
        return define(f"stablehlo.{name} {a}, {b} : {dtype}")

    def wide(scalar: str) -> str:
        return define(f"stablehlo.broadcast_in_dim {scalar}, dims = [] : ({s}) -> {t}")

    def constant(value: int, dtype: str = t) -> str:
        return define(f"stablehlo.constant dense<{value}> : {dtype}")

    def key(i: int) -> str:
        part = tensor("u32", 1)
        piece = define(f"stablehlo.slice %arg0 [{i}:{i + 1}] : ({k}) -> {part}")
        return define(f"stablehlo.reshape {piece} : ({part}) -> {s}")

    def rotated(x: str, by: int) -> str:
        return op("or", op("shift_left", x, constant(by)), op("shift_right_logical", x, constant(32 - by)))

    first, second = key(0), key(1)
    third = op("xor", op("xor", first, second, s), constant(0x1BD11BDA, s), s)
    keys = [wide(first), wide(second), wide(third)]
    x, y = op("add", "%arg1", keys[0]), op("add", "%arg2", keys[1])
    for group in range(5):
        for by in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = op("add", x, y)
            y = op("xor", rotated(y, by), x)
        x = op("add", x, keys[(group + 1) % 3])
        y = op("add", op("add", y, keys[(group + 2) % 3]), constant(group + 1))
    about = "Twenty rounds of Threefry-2x32 of each pair of words, under the key in the first argument"
    return program("rng/threefry2x32_u32", about, [k, t, t], [t, t], "\n".join(lines), results=f"{x}, {y}")


def programs() -> list[Program]:
    return [
        *f_and_gradient("f32"),
        *f_and_gradient("f64"),
        add_one("misc/add_one", "f32", 4),
        add_one("misc/add_one_scalar", "f32"),
        add_one("misc/add_one_s32", "s32", 4),
        add_one("misc/add_one_matrix", "f32", 2, 3),
        add_one("misc/add_one_1024", "f32", 1024),
        threefry(),
        random_bits("THREE_FRY", 2, "u32"),
        random_bits("THREE_FRY", 2, "u64"),
        random_bits("PHILOX", 3, "u32"),
        long_running("misc/long_running"),
        matmul_chain(),
        *[
            program(
                f"misc/{name}_add",
                f"The sum of two arrays of {count} elements",
                [tensor("f32", elements)] * 2,
                [tensor("f32", elements)],
                f"%0 = stablehlo.add %arg0, %arg1 : {tensor('f32', elements)}",
                uninterpreted="a million elements and more take the interpreter too long",
                oldest=OLDEST,
            )
            for name, count, elements in (("big", "2^20", 1 << 20), ("huge", "2^22 + 1", (1 << 22) + 1))
        ],
    ]
