"""target: custom calls that nobody has registered, those that every compiler knows, and composites."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

V, P = tensor("f32", 4), tensor("pred")
UNKNOWN = "@pjrt_conformance_no_such_target"
UNINTERPRETED = "no target of that name exists"


def unknown(name: str, about: str, body: str, *, inputs=(V,), results: str = "%0", functions: str = "") -> Program:
    return program(
        f"target/{name}", about, list(inputs), [V], body, results=results, functions=functions, uninterpreted=UNINTERPRETED
    )


def strangers() -> list[Program]:
    call = f"stablehlo.custom_call {UNKNOWN}"
    chosen = f"""%0 = "stablehlo.if"(%arg0) ({{
  %b = {call}(%arg1) : ({V}) -> {V}
  stablehlo.return %b : {V}
}}, {{
  %c = stablehlo.add %arg1, %arg1 : {V}
  stablehlo.return %c : {V}
}}) : ({P}) -> {V}"""
    helper = f"func.func private @helper(%x: {V}) -> {V} {{\nreturn %x : {V}\n}}"
    return [
        unknown(
            "side_effect",
            "A call for its effect alone, and x + x",
            f"{call}(%arg0) {{has_side_effect = true}} : ({V}) -> ()\n%0 = stablehlo.add %arg0, %arg0 : {V}",
        ),
        unknown(
            "typed",
            "A call with a dictionary of attributes, as jax.ffi.ffi_call lowers one",
            f"%0 = {call}(%arg0) {{api_version = 4 : i32, backend_config = {{eps = 1.0e-05 : f32, n = 3 : i64}}}} : "
            f"({V}) -> {V}",
        ),
        unknown(
            "opaque",
            "A call with its configuration in a string and layouts, as older kernels are called",
            f'%0 = {call}(%arg0) {{api_version = 2 : i32, backend_config = "opaque", '
            f"operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]}} : "
            f"({V}) -> {V}",
        ),
        unknown(
            "aliased",
            "A call whose result takes the memory of its operand",
            f"%0 = {call}(%arg0) {{output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
            f"operand_index = 0, operand_tuple_indices = []>]}} : ({V}) -> {V}",
        ),
        unknown(
            "called",
            "A call that names a function of the program",
            f"%0 = {call}(%arg0) {{called_computations = [@helper]}} : ({V}) -> {V}",
            functions=helper,
        ),
        unknown("branch", "A call where arg0, else x + x", chosen, inputs=(P, V)),
        unknown(
            "unused",
            "A call without effects whose result nobody uses, and x + x",
            f"%u = {call}(%arg0) : ({V}) -> {V}\n%0 = stablehlo.add %arg0, %arg0 : {V}",
        ),
    ]


def composites() -> list[Program]:
    def square(name: str, op: str = "multiply") -> str:
        return f"func.func private @{name}(%x: {V}) -> {V} {{\n%y = stablehlo.{op} %x, %x : {V}\nreturn %y : {V}\n}}\n"

    outer = f"""func.func private @outer(%x: {V}) -> ({V}, {V}) {{
%a = stablehlo.composite "conformance.inner" %x {{decomposition = @inner, version = 7 : i32}} : ({V}) -> {V}
%b = stablehlo.subtract %a, %x : {V}
return %a, %b : {V}, {V}
}}
"""
    return [
        program(
            "target/composite",
            "x x, as a composite that nobody knows",
            [V],
            [V],
            f'%0 = stablehlo.composite "conformance.unknown" %arg0 {{decomposition = @inner, version = 3 : i32, '
            f'composite_attributes = {{eps = 1.0e-05 : f32, mode = "any", n = 3 : i64}}}} : ({V}) -> {V}',
            functions=square("inner"),
            oldest="1.4.0",
        ),
        program(
            "target/composite_nested",
            "x x and x x - x, as a composite of a composite",
            [V],
            [V, V],
            f'%0:2 = stablehlo.composite "conformance.outer" %arg0 {{decomposition = @outer}} : ({V}) -> ({V}, {V})',
            results="%0#0, %0#1",
            functions=square("inner") + outer,
            oldest="1.4.0",
        ),
        program(
            "target/composite_twice",
            "x x and x + x: two composites of one name, whose decompositions differ",
            [V],
            [V, V],
            "\n".join(
                f'%{i} = stablehlo.composite "conformance.same" %arg0 {{decomposition = @{name}, version = {i} : i32}} : '
                f"({V}) -> {V}"
                for i, name in enumerate(("first", "second"))
            ),
            results="%0, %1",
            functions=square("first") + square("second", "add"),
            oldest="1.4.0",
        ),
    ]


def known() -> list[Program]:
    line, best, places = tensor("f32", 3, 7), tensor("f32", 3, 4), tensor("s32", 3, 4)
    topk = (
        "%values, %places = stablehlo.custom_call @mhlo.topk(%arg0) "
        f"{{mhlo.attributes = {{k = 4 : i64, largest = true}}, mhlo.version = 1 : i64}} : ({line}) -> ({best}, {places})"
    )
    return [
        program(
            "target/top_k",
            "The four largest of each row and their places, as JAX sends jax.lax.top_k",
            [line],
            [best, places],
            topk,
            results="%values, %places",
            uninterpreted="the interpreter has no custom calls",
        ),
        program(
            "target/sharding",
            "x + x through a sharding annotation, which does nothing on one device",
            [V],
            [V],
            f'%0 = stablehlo.add %arg0, %arg0 : {V}\n'
            f'%1 = stablehlo.custom_call @Sharding(%0) {{backend_config = "", mhlo.sharding = "{{replicated}}"}} : '
            f"({V}) -> {V}",
            results="%1",
            uninterpreted="the interpreter has no custom calls",
        ),
        program(
            "target/barrier",
            "x x and y y behind a barrier, in the other order",
            [V, V],
            [V, V],
            f"%0 = stablehlo.multiply %arg0, %arg0 : {V}\n%1 = stablehlo.multiply %arg1, %arg1 : {V}\n"
            f"%2:2 = stablehlo.optimization_barrier %1, %0 : {V}, {V}",
            results="%2#0, %2#1",
        ),
    ]


def programs() -> list[Program]:
    return [*strangers(), *composites(), *known()]
