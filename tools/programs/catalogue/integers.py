"""integer and logical: the arithmetic, bitwise and shift ops of the integer types, and the ops of pred."""

from __future__ import annotations

from dtypes import ELEMENTS, INTEGERS, SIGNED, tensor
from program import Program, program

ARITHMETIC = "add subtract multiply divide remainder maximum minimum".split()
BITWISE = "and or xor".split()
SHIFTS = "shift_left shift_right_arithmetic shift_right_logical".split()
# Bitwise ops do not depend on the type beyond its width and sign: these stand for the rest.
BITWISE_TYPES = ("u8", "s32", "u32", "s64")


def binary(group: str, op: str, dtype: str) -> Program:
    t = tensor(dtype, ELEMENTS)
    about = f"{op} of each pair of elements"
    return program(f"{group}/{op}_{dtype}", about, [t, t], [t], f"%0 = stablehlo.{op} %arg0, %arg1 : {t}")


def unary(group: str, op: str, dtype: str) -> Program:
    t = tensor(dtype, ELEMENTS)
    return program(f"{group}/{op}_{dtype}", f"{op} of each element", [t], [t], f"%0 = stablehlo.{op} %arg0 : {t}")


def programs() -> list[Program]:
    return [
        *(binary("integer", op, dtype) for op in ARITHMETIC for dtype in INTEGERS),
        *(binary("integer", op, dtype) for op in BITWISE for dtype in BITWISE_TYPES),
        *(binary("integer", op, dtype) for op in SHIFTS for dtype in INTEGERS),
        *(unary("integer", op, dtype) for op in ("abs", "sign") for dtype in ("s8", "s32", "s64")),
        *(unary("integer", "negate", dtype) for dtype in SIGNED),
        *(unary("integer", op, dtype) for op in ("not", "popcnt", "count_leading_zeros") for dtype in ("s32", "u8")),
        unary("integer", "popcnt", "u64"),
        unary("integer", "count_leading_zeros", "u64"),
        *(binary("logical", op, "pred") for op in BITWISE),
        unary("logical", "not", "pred"),
    ]
