"""asynchrony: programs to keep a plugin busy with, and to use what is not there yet."""

from __future__ import annotations

from dtypes import tensor
from program import OLDEST, Program, program

from .aliasing import aliases

V = tensor("f32", 4)
# 64 MiB: a copy of this size takes milliseconds on any device, so one can be in progress while something else happens.
BIG = tensor("f32", 1 << 24)


def slow() -> Program:
    """The result needs the loop, whose trip count is an argument, and the argument itself once more after the loop."""
    n = tensor("s32")
    body = f"""%zero = stablehlo.constant dense<0> : {n}
%one = stablehlo.constant dense<1> : {n}
%half = stablehlo.constant dense<0.5> : {V}
%add = stablehlo.constant dense<1.0> : {V}
%r:2 = stablehlo.while(%i = %zero, %x = %arg1) : {n}, {V}
cond {{
  %go = stablehlo.compare LT, %i, %arg0, SIGNED : ({n}, {n}) -> tensor<i1>
  stablehlo.return %go : tensor<i1>
}} do {{
  %next = stablehlo.add %i, %one : {n}
  %y = stablehlo.multiply %x, %half : {V}
  %z = stablehlo.add %y, %add : {V}
  stablehlo.return %next, %z : {n}, {V}
}}
%0 = stablehlo.add %r#1, %arg1 : {V}"""
    return program(
        "asynchrony/slow",
        "x + 2, where 2 is what x/2 + 1, repeated arg0 times, tends to: exact after 100 rounds, as long as the caller likes",
        [n, V],
        [V],
        body,
        feed={0: 100},
        oldest=OLDEST,
    )


def programs() -> list[Program]:
    big_one = f"%one = stablehlo.constant dense<1.0> : {BIG}\n%0 = stablehlo.add %arg0, %one : {BIG}"
    half = tensor("f32", 2)
    return [
        slow(),
        program(
            "asynchrony/ends",
            "The first and the last two elements of 64 MiB",
            [BIG],
            [V],
            f"%a = stablehlo.slice %arg0 [0:2] : ({BIG}) -> {half}\n"
            f"%b = stablehlo.slice %arg0 [{(1 << 24) - 2}:{1 << 24}] : ({BIG}) -> {half}\n"
            f"%0 = stablehlo.concatenate %a, %b, dim = 0 : ({half}, {half}) -> {V}",
            oldest=OLDEST,
            uninterpreted="its argument has 64 MiB",
        ),
        program(
            "asynchrony/add_one_to_big_in_place",
            "x + 1 in the place of x, over 64 MiB",
            [BIG],
            [BIG],
            big_one,
            input_attributes={0: aliases(0)},
            oldest=OLDEST,
            uninterpreted="its argument has 64 MiB",
        ),
    ]
