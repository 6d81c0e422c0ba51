"""donation and memory: programs that say where their inputs and outputs live, or that an output may reuse an input."""

from __future__ import annotations

from dtypes import tensor
from program import OLDEST, Program, program

from .misc import long_running

V = tensor("f32", 4)
ONE = f"%one = stablehlo.constant dense<1.0> : {V}\n"
PLUS_ONE = f"{ONE}%0 = stablehlo.add %arg0, %one : {V}"
MUST_ALIAS = (
    'mhlo.input_output_alias = [{alias = {kind = "must_alias", parameter_index = array<i64>, '
    "parameter_number = 0 : i64}, output_index = array<i64>}]"
)


def aliases(output: int) -> str:
    return f"tf.aliasing_output = {output} : i32"


def donations() -> list[Program]:
    big = tensor("f32", 1 << 16)
    both = f"{ONE}%0 = stablehlo.add %arg0, %one : {V}\n%1 = stablehlo.subtract %arg1, %one : {V}"
    return [
        program("donation/none", "x + 1, nothing donated", [V], [V], PLUS_ONE, oldest=OLDEST),
        program(
            "donation/aliased",
            "x + 1 in the place of x",
            [V],
            [V],
            PLUS_ONE,
            input_attributes={0: aliases(0)},
            oldest=OLDEST,
        ),
        program(
            "donation/donor",
            "x + 1; x is offered, and the compiler chooses what to do with it",
            [V],
            [V],
            PLUS_ONE,
            input_attributes={0: "jax.buffer_donor = true"},
            oldest=OLDEST,
        ),
        program(
            "donation/must_alias",
            "x + 1, which has to be in the place of x",
            [V],
            [V],
            PLUS_ONE,
            module_attributes=MUST_ALIAS,
            oldest=OLDEST,
        ),
        program(
            "donation/first_of_two",
            "x + y in the place of x",
            [V, V],
            [V],
            f"%0 = stablehlo.add %arg0, %arg1 : {V}",
            input_attributes={0: aliases(0)},
            oldest=OLDEST,
        ),
        program(
            "donation/second_of_two",
            "x + y in the place of y",
            [V, V],
            [V],
            f"%0 = stablehlo.add %arg0, %arg1 : {V}",
            input_attributes={1: aliases(0)},
        ),
        program(
            "donation/both",
            "x + 1 and y - 1, each in its own place",
            [V, V],
            [V, V],
            both,
            results="%0, %1",
            input_attributes={0: aliases(0), 1: aliases(1)},
        ),
        program(
            "donation/crossed",
            "x + 1 in the place of y and y - 1 in the place of x",
            [V, V],
            [V, V],
            both,
            results="%0, %1",
            input_attributes={0: aliases(1), 1: aliases(0)},
        ),
        program(
            "donation/identity",
            "x itself, in its own place",
            [V],
            [V],
            "",
            results="%arg0",
            input_attributes={0: aliases(0)},
        ),
        program(
            "donation/beside",
            "w - w three times in the places of x, y and z, then x, y and z themselves",
            [V, V, V, V],
            [V] * 6,
            f"%0 = stablehlo.subtract %arg3, %arg3 : {V}",
            results="%0, %0, %0, %arg0, %arg1, %arg2",
            input_attributes={i: aliases(i) for i in range(3)},
        ),
        program(
            "donation/rotated",
            "z, x and y in the places of x, y and z",
            [V, V, V],
            [V, V, V],
            "",
            results="%arg2, %arg0, %arg1",
            input_attributes={i: aliases(i) for i in range(3)},
        ),
        program(
            "donation/unusable_donor",
            "The sum of x; x is offered but no output fits in its place",
            [V],
            [tensor("f32")],
            f"%z = stablehlo.constant dense<0.0> : {tensor('f32')}\n"
            f"%0 = stablehlo.reduce(%arg0 init: %z) applies stablehlo.add across dimensions = [0] : "
            f"({V}, {tensor('f32')}) -> {tensor('f32')}",
            input_attributes={0: "jax.buffer_donor = true"},
        ),
        program(
            "donation/aliased_65536",
            "x + 1 in the place of x, over 256 KiB",
            [big],
            [big],
            f"%one = stablehlo.constant dense<1.0> : {big}\n%0 = stablehlo.add %arg0, %one : {big}",
            input_attributes={0: aliases(0)},
        ),
        long_running("donation/long_running", " in the place of x", input_attributes={1: aliases(0)}),
    ]


# Of three donated arguments every order of their places; of four one of each form.
ORDERS = ("012", "021", "102", "120", "201", "210", "1032", "1203", "1230", "2301", "3210")
SUMMED = ("120", "201", "1230", "3210")


def graphs() -> list[Program]:
    """Argument i gives its place to the result that digit i names; result i is argument i, or its sum with the next."""

    def graph(order: str, sums: bool) -> Program:
        count = len(order)
        sum_of = "%{0} = stablehlo.add %arg{0}, %arg{1} : {2}"
        body = "\n".join(sum_of.format(i, (i + 1) % count, V) for i in range(count)) if sums else ""
        what = "The sum of each argument and the next one" if sums else "Each argument itself"
        return program(
            f"donation/{'sums' if sums else 'order'}_{order}",
            f"{what}, where argument i is in the place of result {', '.join(order)}",
            [V] * count,
            [V] * count,
            body,
            results=", ".join(f"%{i}" if sums else f"%arg{i}" for i in range(count)),
            input_attributes={i: aliases(int(place)) for i, place in enumerate(order)},
        )

    repeated = program(
        "donation/repeated",
        "x, x, y, z, y, where x, y and z are in the places of the second, the first and the fifth",
        [V, V, V],
        [V] * 5,
        "",
        results="%arg0, %arg0, %arg1, %arg2, %arg1",
        input_attributes={0: aliases(1), 1: aliases(0), 2: aliases(4)},
    )
    return [*(graph(order, False) for order in ORDERS), *(graph(order, True) for order in SUMMED), repeated]


def memories() -> list[Program]:
    kind = 'mhlo.memory_kind = "{}"'.format
    return [
        program(
            f"memory/{side}_{memory}",
            f"x + 1 with the {side} in {memory} memory",
            [V],
            [V],
            PLUS_ONE,
            input_attributes={0: kind(memory)} if side == "input" else {},
            output_attributes={0: kind(memory)} if side == "output" else {},
        )
        for side in ("input", "output")
        for memory in ("device", "pinned_host", "unpinned_host")
    ]


def programs() -> list[Program]:
    return [*donations(), *graphs(), *memories()]
