"""control: loops, branches and calls whose course depends on arguments."""

from __future__ import annotations

from dtypes import tensor
from program import OLDEST, Program, program

N, P = tensor("s32"), tensor("pred")
V = tensor("f32", 4)


def loop(count: str, start: str, step: str) -> str:
    """`step` sees the value %x and the counter %i and makes %y; the result is %r#1."""
    return f"""%zero = stablehlo.constant dense<0> : {N}
%r:2 = stablehlo.while(%i = %zero, %x = {start}) : {N}, {V}
cond {{
  %go = stablehlo.compare LT, %i, {count}, SIGNED : ({N}, {N}) -> {P}
  stablehlo.return %go : {P}
}} do {{
  %inc = stablehlo.constant dense<1> : {N}
  %next = stablehlo.add %i, %inc : {N}
  {step}
  stablehlo.return %next, %y : {N}, {V}
}}"""


def loops() -> list[Program]:
    five = f"%five = stablehlo.constant dense<5> : {N}\n"
    doubled = f"%y = stablehlo.add %x, %x : {V}"
    outer = f"""%zero = stablehlo.constant dense<0> : {N}
%one = stablehlo.constant dense<1> : {N}
%0:2 = stablehlo.while(%i = %zero, %x = %arg2) : {N}, {V}
cond {{
  %go = stablehlo.compare LT, %i, %arg0, SIGNED : ({N}, {N}) -> {P}
  stablehlo.return %go : {P}
}} do {{
  %next = stablehlo.add %i, %one : {N}
  %1:2 = stablehlo.while(%k = %zero, %z = %x) : {N}, {V}
  cond {{
    %more = stablehlo.compare LT, %k, %arg1, SIGNED : ({N}, {N}) -> {P}
    stablehlo.return %more : {P}
  }} do {{
    %further = stablehlo.add %k, %one : {N}
    %sum = stablehlo.add %z, %arg2 : {V}
    stablehlo.return %further, %sum : {N}, {V}
  }}
  stablehlo.return %next, %1#1 : {N}, {V}
}}"""
    halving = f"""%two = stablehlo.constant dense<2> : {N}
%one = stablehlo.constant dense<1> : {N}
%zero = stablehlo.constant dense<0> : {N}
%r:2 = stablehlo.while(%n = %arg0, %count = %zero) : {N}, {N}
cond {{
  %go = stablehlo.compare GT, %n, %one, SIGNED : ({N}, {N}) -> {P}
  stablehlo.return %go : {P}
}} do {{
  %half = stablehlo.divide %n, %two : {N}
  %more = stablehlo.add %count, %one : {N}
  stablehlo.return %half, %more : {N}, {N}
}}"""
    return [
        program(
            "control/while_five",
            "x doubled five times",
            [V],
            [V],
            five + loop("%five", "%arg0", doubled),
            results="%r#1",
            oldest=OLDEST,
        ),
        program(
            "control/while_dynamic",
            "x doubled arg0 times",
            [N, V],
            [V],
            loop("%arg0", "%arg1", doubled),
            results="%r#1",
            feed={0: 3},
            oldest=OLDEST,
        ),
        program("control/while_data", "How often arg0 can be halved", [N], [N], halving, results="%r#1", feed={0: 9}),
        program(
            "control/while_nested",
            "x (1 + arg0 arg1): a loop inside a loop",
            [N, N, V],
            [V],
            outer,
            results="%0#1",
            feed={0: 2, 1: 3},
        ),
    ]


def branches() -> list[Program]:
    def branch(op: str) -> str:
        return f"%b = stablehlo.{op} %arg1, %arg1 : {V}\nstablehlo.return %b : {V}"

    chosen = f"""%0 = "stablehlo.if"(%arg0) ({{
{branch("add")}
}}, {{
{branch("multiply")}
}}) : ({P}) -> {V}"""
    cased = f"""%0 = "stablehlo.case"(%arg0) ({{
{branch("add")}
}}, {{
{branch("multiply")}
}}, {{
{branch("subtract")}
}}) : ({N}) -> {V}"""
    operations = ["add", "multiply", "subtract", "maximum", "divide"]
    cases = "}, {\n".join(f"{branch(op)}\n" for op in operations)
    of_five = f'%0 = "stablehlo.case"(%arg0) ({{\n{cases}}}) : ({N}) -> {V}'
    nested = f"""%0 = "stablehlo.if"(%arg0) ({{
  %in = "stablehlo.if"(%arg2) ({{
  {branch("add")}
  }}, {{
  {branch("multiply")}
  }}) : ({P}) -> {V}
  stablehlo.return %in : {V}
}}, {{
{branch("subtract")}
}}) : ({P}) -> {V}"""
    return [
        program("control/if", "x + x where arg0, else x x", [P, V], [V], chosen, oldest=OLDEST),
        program("control/case", "x + x, x x or x - x; an index outside means the last", [N, V], [V], cased),
        program("control/case_of_five", "The sum, product, difference, maximum or quotient of x and x", [N, V], [V], of_five),
        program("control/if_nested", "A branch inside a branch", [P, V, P], [V], nested),
    ]


def calls() -> list[Program]:
    square = f"""func.func private @square(%x: {V}) -> {V} {{
%y = stablehlo.multiply %x, %x : {V}
return %y : {V}
}}"""
    twice = f"""func.func private @twice(%x: {V}) -> ({V}, {V}) {{
%a = call @square(%x) : ({V}) -> {V}
%b = call @square(%a) : ({V}) -> {V}
return %a, %b : {V}, {V}
}}"""
    return [
        program(
            "control/call",
            "x x by a function of its own",
            [V],
            [V],
            f"%0 = call @square(%arg0) : ({V}) -> {V}",
            functions=square,
            oldest=OLDEST,
        ),
        program(
            "control/call_nested",
            "x^2 and x^4 by functions that call each other",
            [V],
            [V, V],
            f"%0:2 = call @twice(%arg0) : ({V}) -> ({V}, {V})",
            results="%0#0, %0#1",
            functions=f"{square}\n{twice}",
        ),
    ]


def programs() -> list[Program]:
    return [*loops(), *branches(), *calls()]
