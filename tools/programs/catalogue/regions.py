"""flow: loops, branches and functions whose values cross their borders."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

N, P, V, W = tensor("s32"), tensor("pred"), tensor("f32", 4), tensor("s32", 2)


def constant(name: str, value: object, dtype: str = N) -> str:
    return f"%{name} = stablehlo.constant dense<{value}> : {dtype}\n"


def compared(name: str, direction: str, left: str, right: str) -> str:
    return f"%{name} = stablehlo.compare {direction}, {left}, {right}, SIGNED : ({N}, {N}) -> {P}\n"


def loops() -> list[Program]:
    fibonacci = (
        constant("zero", 0)
        + constant("one", 1)
        + f"%0:3 = stablehlo.while(%i = %zero, %a = %zero, %b = %one) : {N}, {N}, {N}\ncond {{\n"
        + compared("go", "LT", "%i", "%arg0")
        + f"stablehlo.return %go : {P}\n}} do {{\n"
        + f"%next = stablehlo.add %i, %one : {N}\n%sum = stablehlo.add %a, %b : {N}\n"
        + f"stablehlo.return %next, %b, %sum : {N}, {N}, {N}\n}}"
    )
    exchanged = (
        constant("zero", 0)
        + constant("one", 1)
        + f"%0:4 = stablehlo.while(%i = %zero, %a = %arg1, %b = %arg2, %c = %arg3) : {N}, {V}, {V}, {V}\ncond {{\n"
        + compared("go", "LT", "%i", "%arg0")
        + f"stablehlo.return %go : {P}\n}} do {{\n%next = stablehlo.add %i, %one : {N}\n"
        + f"stablehlo.return %next, %b, %c, %a : {N}, {V}, {V}, {V}\n}}"
    )
    never = (
        constant("no", "false", P)
        + f"%0 = stablehlo.while(%x = %arg0) : {V}\ncond {{\nstablehlo.return %no : {P}\n}} do {{\n"
        + f"%zero = stablehlo.subtract %x, %x : {V}\n%bad = stablehlo.divide %zero, %zero : {V}\n"
        + f"stablehlo.return %bad : {V}\n}}"
    )
    # The inner loop counts to the counter of the outer one, and adds what an argument gives: triangular numbers.
    triangle = (
        constant("zero", 0)
        + constant("one", 1)
        + f"%0:2 = stablehlo.while(%i = %zero, %x = %zero) : {N}, {N}\ncond {{\n"
        + compared("go", "LT", "%i", "%arg0")
        + f"stablehlo.return %go : {P}\n}} do {{\n%next = stablehlo.add %i, %one : {N}\n"
        + f"%in:2 = stablehlo.while(%k = %zero, %y = %x) : {N}, {N}\ncond {{\n"
        + compared("more", "LT", "%k", "%i")
        + f"stablehlo.return %more : {P}\n}} do {{\n%further = stablehlo.add %k, %one : {N}\n"
        + f"%sum = stablehlo.add %y, %arg1 : {N}\nstablehlo.return %further, %sum : {N}, {N}\n}}\n"
        + f"stablehlo.return %next, %in#1 : {N}, {N}\n}}"
    )
    # Even steps add, odd ones multiply; a branch inside a loop.
    stepping = (
        constant("zero", 0)
        + constant("one", 1)
        + constant("two", 2)
        + f"%0:2 = stablehlo.while(%i = %zero, %x = %arg1) : {N}, {N}\ncond {{\n"
        + compared("go", "LT", "%i", "%arg0")
        + f"stablehlo.return %go : {P}\n}} do {{\n%next = stablehlo.add %i, %one : {N}\n"
        + f"%odd = stablehlo.remainder %i, %two : {N}\n"
        + f'%y = "stablehlo.case"(%odd) ({{\n%s = stablehlo.add %x, %i : {N}\nstablehlo.return %s : {N}\n}}, {{\n'
        + f"%m = stablehlo.multiply %x, %two : {N}\nstablehlo.return %m : {N}\n}}) : ({N}) -> {N}\n"
        + f"stablehlo.return %next, %y : {N}, {N}\n}}"
    )
    return [
        program("flow/fibonacci", "Numbers arg0 and arg0 + 1 of Fibonacci", [N], [N, N], fibonacci, results="%0#1, %0#2"),
        program(
            "flow/exchanged",
            "Three arrays handed around arg0 times",
            [N, V, V, V],
            [V, V, V],
            exchanged,
            results="%0#1, %0#2, %0#3",
        ),
        program("flow/never", "x, by a loop that never runs and would give NaN", [V], [V], never, results="%0"),
        program("flow/triangle", "arg1 arg0 (arg0 - 1) / 2, by a loop in a loop", [N, N], [N], triangle, results="%0#1"),
        program("flow/stepping", "A loop with two kinds of steps", [N, N], [N], stepping, results="%0#1"),
    ]


def branches() -> list[Program]:
    many = ", ".join(
        "{\n" + constant("k", k) + f"%r = stablehlo.add %arg1, %k : {N}\nstablehlo.return %r : {N}\n}}" for k in range(8)
    )
    captured = f"""%0 = stablehlo.add %arg1, %arg2 : {V}
%1:3 = "stablehlo.if"(%arg0) ({{
  %a = stablehlo.multiply %0, %arg1 : {V}
  stablehlo.return %a, %arg2, %arg3 : {V}, {V}, {W}
}}, {{
  %b = stablehlo.multiply %0, %arg2 : {V}
  %c = stablehlo.negate %arg3 : {W}
  stablehlo.return %arg1, %b, %c : {V}, {V}, {W}
}}) : ({P}) -> ({V}, {V}, {W})"""
    single = f'%0 = "stablehlo.case"(%arg0) ({{\n%r = stablehlo.add %arg1, %arg1 : {N}\nstablehlo.return %r : {N}\n}}) : ({N}) -> {N}'
    return [
        program("flow/case_many", "arg1 plus the number of the branch, of eight", [N, N], [N], f'%0 = "stablehlo.case"(%arg0) ({many}) : ({N}) -> {N}'),
        program("flow/case_single", "arg1 + arg1, by the only branch", [N, N], [N], single),
        program(
            "flow/if_captured",
            "Branches that use values from outside and return three of them, in other orders",
            [P, V, V, W],
            [V, V, W],
            captured,
            results="%1#0, %1#1, %1#2",
        ),
    ]


def functions() -> list[Program]:
    apart = f"""func.func private @apart(%a: {V}, %b: {V}) -> ({V}, {V}, {V}) {{
%s = stablehlo.add %a, %b : {V}
%d = stablehlo.subtract %a, %b : {V}
return %s, %d, %a : {V}, {V}, {V}
}}"""
    body = f"""%0:3 = call @apart(%arg0, %arg1) : ({V}, {V}) -> ({V}, {V}, {V})
%1:3 = call @apart(%arg1, %0#1) : ({V}, {V}) -> ({V}, {V}, {V})
%unused:3 = call @apart(%1#0, %1#0) : ({V}, {V}) -> ({V}, {V}, {V})"""
    token = "!stablehlo.token"
    threaded = f"""%t = "stablehlo.after_all"() : () -> {token}
%n = stablehlo.constant dense<0> : {N}
%one = stablehlo.constant dense<1> : {N}
%three = stablehlo.constant dense<3> : {N}
%0:3 = stablehlo.while(%i = %n, %x = %arg0, %u = %t) : {N}, {V}, {token}
cond {{
  %go = stablehlo.compare LT, %i, %three, SIGNED : ({N}, {N}) -> {P}
  stablehlo.return %go : {P}
}} do {{
  %next = stablehlo.add %i, %one : {N}
  %y = stablehlo.add %x, %x : {V}
  %w = stablehlo.after_all %u, %t : {token}
  stablehlo.return %next, %y, %w : {N}, {V}, {token}
}}
%end = stablehlo.after_all %0#2 : {token}"""
    return [
        program(
            "flow/calls",
            "One function called three times, its results used in part: y + (x - y) and y - (x - y)",
            [V, V],
            [V, V],
            body,
            results="%1#0, %1#1",
            functions=apart,
        ),
        program("flow/tokens", "8 x, by a loop that hands a token on", [V], [V], threaded, results="%0#1"),
    ]


def programs() -> list[Program]:
    return [*loops(), *branches(), *functions()]
