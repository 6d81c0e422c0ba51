"""custom_call: calls of handlers that the suites register through XLA's typed FFI, as jax.ffi.ffi_call lowers them."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

V = tensor("f32", 4)
MATRIX = tensor("f32", 2, 3)
TURNED = tensor("f32", 3, 2)
NUMBERS = tensor("s32", 5)
TARGET = "@pjrt_conformance_handler"
TYPED = "api_version = 4 : i32"
# Dense and row-major on any device, which is what ffi_call asks for unless asked otherwise.
ROWS = "dense<[1, 0]> : tensor<2xindex>"
LINE = "dense<0> : tensor<1xindex>"
UNINTERPRETED = "there is no handler to call"


def site(number: int, more: str) -> str:
    config = f'{{number = {number} : i64, text = "site {number}"{more}}}'
    layouts = f"operand_layouts = [{LINE}], result_layouts = [{LINE}]"
    attributes = f"{TYPED}, backend_config = {config}, {layouts}"
    return f"stablehlo.custom_call {TARGET}(%{number - 1}) {{{attributes}}} : ({V}) -> {V}"


def programs() -> list[Program]:
    layouts = f"operand_layouts = [{ROWS}, {LINE}], result_layouts = [{ROWS}, {LINE}]"
    return [
        program(
            "custom_call/handler",
            "(2 h, k), where a handler makes h and k from x + x and y",
            [MATRIX, NUMBERS],
            [TURNED, NUMBERS],
            f"%0 = stablehlo.add %arg0, %arg0 : {MATRIX}\n"
            f"%1:2 = stablehlo.custom_call {TARGET}(%0, %arg1) {{{TYPED}, backend_config = {{}}, {layouts}}} : "
            f"({MATRIX}, {NUMBERS}) -> ({TURNED}, {NUMBERS})\n"
            f"%2 = stablehlo.add %1#0, %1#0 : {TURNED}",
            results="%2, %1#1",
            uninterpreted=UNINTERPRETED,
        ),
        program(
            "custom_call/handler_attributes",
            "What a handler makes of what it makes of x + x, with other attributes at each of its two sites",
            [V],
            [V],
            f"%0 = stablehlo.add %arg0, %arg0 : {V}\n"
            f"%1 = {site(1, ', flag = true, fraction = 5.0e-01 : f32, list = array<i64: 3, 1, 2>')}\n"
            f"%2 = {site(2, '')}",
            results="%2",
            uninterpreted=UNINTERPRETED,
        ),
        program(
            "custom_call/handler_without_results",
            "x + x, which a handler is shown that makes nothing of it",
            [V],
            [V],
            f"%0 = stablehlo.add %arg0, %arg0 : {V}\n"
            f"stablehlo.custom_call {TARGET}(%0) {{{TYPED}, backend_config = {{}}, has_side_effect = true, "
            f"operand_layouts = [{LINE}], result_layouts = []}} : ({V}) -> ()",
            uninterpreted=UNINTERPRETED,
        ),
    ]
