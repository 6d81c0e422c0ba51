"""unary, binary, compare, select and complex: one op a program, over vectors as long as the reference tables."""

from __future__ import annotations

from dtypes import ELEMENTS, FLOATS, compare_type, tensor
from program import Program, program

UNARY = (
    "sine cosine tan exponential exponential_minus_one log log_plus_one logistic tanh sqrt rsqrt cbrt "
    "abs negate floor ceil round_nearest_even round_nearest_afz sign"
).split()
BINARY = "add subtract multiply divide maximum minimum power atan2 remainder".split()
# The points of one table: the narrow types have twice as many.
POINTS = {"f32": 256, "f64": 256, "f16": 512, "bf16": 512}

COMPARED = {
    "f32": "EQ NE GE GT LE LT",
    "s32": "EQ NE GE GT LE LT",
    "u32": "EQ NE GE GT LE LT",
    "pred": "EQ NE",
    "bf16": "EQ LT",
    "f16": "EQ LT",
    "f64": "EQ LT",
    "s64": "EQ LT",
    "u8": "EQ LT",
    "s8": "LT",
    "s16": "LT",
    "u16": "LT",
    "u64": "LT",
    "c64": "EQ NE",
}


def unary(op: str, dtype: str) -> Program:
    t = tensor(dtype, POINTS[dtype])
    return program(f"unary/{op}_{dtype}", f"{op} of each element", [t], [t], f"%0 = stablehlo.{op} %arg0 : {t}")


def binary(op: str, dtype: str) -> Program:
    t = tensor(dtype, POINTS[dtype])
    about = f"{op} of each pair of elements"
    return program(f"binary/{op}_{dtype}", about, [t, t], [t], f"%0 = stablehlo.{op} %arg0, %arg1 : {t}")


def compare(direction: str, dtype: str) -> Program:
    t, p = tensor(dtype, ELEMENTS), tensor("pred", ELEMENTS)
    return program(
        f"compare/{direction.lower()}_{dtype}",
        f"{direction} of each pair of elements",
        [t, t],
        [p],
        f"%0 = stablehlo.compare {direction}, %arg0, %arg1, {compare_type(dtype)} : ({t}, {t}) -> {p}",
    )


def total_order() -> Program:
    t, p = tensor("f32", ELEMENTS), tensor("pred", ELEMENTS)
    return program(
        "compare/lt_total_order_f32",
        "LT in the total order: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN",
        [t, t],
        [p],
        f"%0 = stablehlo.compare LT, %arg0, %arg1, TOTALORDER : ({t}, {t}) -> {p}",
    )


def select(dtype: str, scalar_predicate: bool = False) -> Program:
    t, p = tensor(dtype, ELEMENTS), tensor("pred") if scalar_predicate else tensor("pred", ELEMENTS)
    return program(
        f"select/{dtype}{'_scalar_predicate' if scalar_predicate else ''}",
        "arg1 where arg0 is true, else arg2",
        [p, t, t],
        [t],
        f"%0 = stablehlo.select %arg0, %arg1, %arg2 : {p}, {t}",
    )


def clamp(dtype: str, scalar_bounds: bool = False) -> Program:
    t = tensor(dtype, ELEMENTS)
    bound = tensor(dtype) if scalar_bounds else t
    types = f"({bound}, {t}, {bound}) -> {t}" if scalar_bounds else t
    return program(
        f"clamp/{dtype}{'_scalar_bounds' if scalar_bounds else ''}",
        "arg1 kept between arg0 and arg2",
        [bound, t, bound],
        [t],
        f"%0 = stablehlo.clamp %arg0, %arg1, %arg2 : {types}",
    )


def complex_programs() -> list[Program]:
    z, x = tensor("c64", ELEMENTS), tensor("f32", ELEMENTS)
    made = [
        program(
            f"complex/{op}_c64",
            f"{op} of each pair of complex numbers",
            [z, z],
            [z],
            f"%0 = stablehlo.{op} %arg0, %arg1 : {z}",
        )
        for op in ("add", "subtract", "multiply")
    ]
    made += [
        program(
            f"complex/{op}_c64", f"The {op} part of each element", [z], [x], f"%0 = stablehlo.{op} %arg0 : ({z}) -> {x}"
        )
        for op in ("real", "imag")
    ]
    made.append(
        program("complex/negate_c64", "The negative of each element", [z], [z], f"%0 = stablehlo.negate %arg0 : {z}")
    )
    w = tensor("c128", ELEMENTS)
    made.append(
        program(
            "complex/multiply_c128",
            "multiply of each pair of complex numbers",
            [w, w],
            [w],
            f"%0 = stablehlo.multiply %arg0, %arg1 : {w}",
        )
    )
    made.append(
        program(
            "complex/complex_f32",
            "Complex numbers from real parts arg0 and imaginary parts arg1",
            [x, x],
            [z],
            f"%0 = stablehlo.complex %arg0, %arg1 : {z}",
        )
    )
    return made


def is_finite(dtype: str) -> Program:
    t, p = tensor(dtype, ELEMENTS), tensor("pred", ELEMENTS)
    about = "True where an element is neither infinite nor NaN"
    return program(f"compare/is_finite_{dtype}", about, [t], [p], f"%0 = stablehlo.is_finite %arg0 : ({t}) -> {p}")


def rank4() -> Program:
    t = tensor("f32", 3, 5, 7, 11)
    about = "The sum of each pair of elements of arrays with four dimensions, all odd"
    return program("binary/add_rank4_f32", about, [t, t], [t], f"%0 = stablehlo.add %arg0, %arg1 : {t}")


def programs() -> list[Program]:
    return [
        rank4(),
        *(unary(op, dtype) for op in UNARY for dtype in FLOATS),
        *(binary(op, dtype) for op in BINARY for dtype in FLOATS),
        *(compare(direction, dtype) for dtype, directions in COMPARED.items() for direction in directions.split()),
        total_order(),
        *(is_finite(dtype) for dtype in ("f32", "bf16")),
        *(select(dtype) for dtype in ("f32", "s32", "pred", "bf16")),
        select("f32", scalar_predicate=True),
        *(clamp(dtype) for dtype in ("f32", "s32", "u8")),
        clamp("f32", scalar_bounds=True),
        *complex_programs(),
    ]
