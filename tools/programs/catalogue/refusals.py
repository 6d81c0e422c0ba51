"""bad and custom_call: programs that a compiler must refuse with an error, and must survive."""

from __future__ import annotations

from dtypes import tensor
from program import Program, bad, program

V = tensor("f32", 4)


def main(body: str, signature: str = f"(%arg0: {V}) -> {V}") -> str:
    return f"module @bad {{\n  func.func public @main{signature} {{\n    {body}\n  }}\n}}\n"


def programs() -> list[Program]:
    unknown = f"%0 = stablehlo.custom_call @pjrt_conformance_no_such_target(%arg0) : ({V}) -> {V}"
    deep = "(" * 2000
    return [
        program(
            "custom_call/unknown_target",
            "Well formed, but its target is registered nowhere: refused by compile, or by execute at the latest",
            [V],
            [V],
            unknown,
            uninterpreted="no target of that name exists",
        ),
        bad("bad/empty", "No text at all", ""),
        bad("bad/whitespace", "Nothing but white space", " \n\t\n"),
        bad("bad/not_mlir", "Prose instead of a program", "This is not a program.\n"),
        bad("bad/nul_bytes", "Eight NUL bytes", "\0" * 8),
        bad("bad/missing_brace", "The last brace is missing", main(f"return %arg0 : {V}").rstrip().removesuffix("}")),
        bad("bad/syntax_error", "An operand list that ends in a comma", main(f"%0 = stablehlo.add %arg0, : {V}")),
        bad("bad/undefined_value", "Returns a value that nothing defines", main(f"return %nowhere : {V}")),
        bad(
            "bad/type_mismatch",
            "Adds a vector of 4 and a vector of 5",
            main(
                f'%0 = "stablehlo.add"(%arg0, %arg1) : ({V}, tensor<5xf32>) -> {V}\n    return %0 : {V}',
                f"(%arg0: {V}, %arg1: tensor<5xf32>) -> {V}",
            ),
        ),
        bad(
            "bad/result_type",
            "Returns a vector of 4 where the signature says 5",
            main(f"return %arg0 : {V}", f"(%arg0: {V}) -> tensor<5xf32>"),
        ),
        bad(
            "bad/unknown_op",
            "An op that StableHLO does not have",
            main(f'%0 = "stablehlo.frobnicate"(%arg0) : ({V}) -> {V}\n    return %0 : {V}'),
        ),
        bad(
            "bad/unknown_dialect",
            "An op of a dialect that does not exist",
            main(f'%0 = "nowhere.add"(%arg0) : ({V}) -> {V}\n    return %0 : {V}'),
        ),
        bad(
            "bad/wrong_operand_count",
            "An addition of one value",
            main(f'%0 = "stablehlo.add"(%arg0) : ({V}) -> {V}\n    return %0 : {V}'),
        ),
        bad(
            "bad/reshape_count",
            "A reshape of 4 elements into 5",
            main(
                f"%0 = stablehlo.reshape %arg0 : ({V}) -> tensor<5xf32>\n    return %0 : tensor<5xf32>",
                f"(%arg0: {V}) -> tensor<5xf32>",
            ),
        ),
        bad(
            "bad/missing_main",
            "A module whose only function is not called main",
            f"module @bad {{\n  func.func public @other(%arg0: {V}) -> {V} {{\n    return %arg0 : {V}\n  }}\n}}\n",
        ),
        bad("bad/no_functions", "A module with nothing in it", "module @bad {\n}\n"),
        bad("bad/deep_nesting", "Two thousand opening parentheses", main(f"%0 = {deep}")),
        bad(
            "bad/invalid_utf8_like",
            "Characters outside ASCII where a type belongs",
            main("return %arg0 : \u03c4\u03cd\u03c0\u03bf\u03c2"),
        ),
    ]
