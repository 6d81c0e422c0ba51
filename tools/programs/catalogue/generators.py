"""generator: random bits in odd numbers and of several widths, and counts of their ones."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

WIDTHS = {"u8": 8, "u16": 16, "u32": 32}
STATES = {"THREE_FRY": 2, "PHILOX": 3, "DEFAULT": 2}
POSITIONS, ROUNDS = 7, 64
WHY = "the interpreter does not support rng_bit_generator"


def bits(algorithm: str, dtype: str, *shape: int) -> Program:
    s, r = tensor("u64", STATES[algorithm]), tensor(dtype, *shape)
    sizes = "x".join(map(str, shape)) or "scalar"
    return program(
        f"generator/{algorithm.lower()}_{dtype}_{sizes}",
        f"The next state and bits of the {algorithm} generator",
        [s],
        [s, r],
        f"%0, %1 = stablehlo.rng_bit_generator %arg0, algorithm = {algorithm} : ({s}) -> ({s}, {r})",
        results="%0, %1",
        uninterpreted=WHY,
    )


def tally(algorithm: str, dtype: str) -> Program:
    """How often a bit is one, by position in the array and by position in the element, over many rounds."""
    width = WIDTHS[dtype]
    s, r, n = tensor("u64", STATES[algorithm]), tensor(dtype, POSITIONS), tensor("s32")
    wide = tensor(dtype, POSITIONS, width)
    ones, by_place, by_bit = tensor("f32", POSITIONS, width), tensor("f32", POSITIONS), tensor("f32", width)
    scalar = tensor("f32")
    body = f"""%zero = stablehlo.constant dense<0> : {n}
%none = stablehlo.constant dense<0.0> : {ones}
%nothing = stablehlo.constant dense<0.0> : {scalar}
%one = stablehlo.constant dense<1> : {wide}
%by = stablehlo.iota dim = 1 : {wide}
%0:3 = stablehlo.while(%i = %zero, %state = %arg0, %sum = %none) : {n}, {s}, {ones}
cond {{
  %rounds = stablehlo.constant dense<{ROUNDS}> : {n}
  %go = stablehlo.compare LT, %i, %rounds, SIGNED : ({n}, {n}) -> {tensor("pred")}
  stablehlo.return %go : {tensor("pred")}
}} do {{
  %step = stablehlo.constant dense<1> : {n}
  %next = stablehlo.add %i, %step : {n}
  %after, %bits = stablehlo.rng_bit_generator %state, algorithm = {algorithm} : ({s}) -> ({s}, {r})
  %each = stablehlo.broadcast_in_dim %bits, dims = [0] : ({r}) -> {wide}
  %moved = stablehlo.shift_right_logical %each, %by : {wide}
  %low = stablehlo.and %moved, %one : {wide}
  %counted = stablehlo.convert %low : ({wide}) -> {ones}
  %more = stablehlo.add %sum, %counted : {ones}
  stablehlo.return %next, %after, %more : {n}, {s}, {ones}
}}
%1 = stablehlo.reduce(%0#2 init: %nothing) applies stablehlo.add across dimensions = [1] : ({ones}, {scalar}) -> {by_place}
%2 = stablehlo.reduce(%0#2 init: %nothing) applies stablehlo.add across dimensions = [0] : ({ones}, {scalar}) -> {by_bit}"""
    return program(
        f"generator/tally_{algorithm.lower()}_{dtype}",
        f"How many of {ROUNDS} rounds of {algorithm} have each bit set, by element and by bit",
        [s],
        [by_place, by_bit],
        body,
        results="%1, %2",
        uninterpreted=WHY,
    )


def follow(algorithm: str) -> Program:
    """Two odd tables of words, the second from the state that the first leaves."""
    s, r, line, both = tensor("u64", STATES[algorithm]), tensor("u32", 3, 5), tensor("u32", 15), tensor("u32", 30)
    body = f"""%0, %a = stablehlo.rng_bit_generator %arg0, algorithm = {algorithm} : ({s}) -> ({s}, {r})
%1, %b = stablehlo.rng_bit_generator %0, algorithm = {algorithm} : ({s}) -> ({s}, {r})
%2 = stablehlo.reshape %a : ({r}) -> {line}
%3 = stablehlo.reshape %b : ({r}) -> {line}
%4 = stablehlo.concatenate %2, %3, dim = 0 : ({line}, {line}) -> {both}"""
    return program(
        f"generator/follow_{algorithm.lower()}",
        f"The words of two tables by {algorithm}, one following the other, and the last state",
        [s],
        [s, both],
        body,
        results="%1, %4",
        uninterpreted=WHY,
    )


def programs() -> list[Program]:
    return [
        *(
            bits("THREE_FRY", dtype, *shape)
            for dtype, shape in (("u32", (7,)), ("u32", ()), ("u32", (0,)))
        ),
        *(follow(algorithm) for algorithm in ("THREE_FRY", "PHILOX")),
        tally("THREE_FRY", "u8"),
        tally("PHILOX", "u16"),
        tally("DEFAULT", "u32"),
    ]
