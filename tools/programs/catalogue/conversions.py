"""convert and bitcast: every ordered pair of ten types, some of other integers, the 8-bit floats both ways, and reinterpretation of bits."""

from __future__ import annotations

from dtypes import ELEMENTS, tensor
from program import Program, program

MATRIX = ("f32", "f64", "f16", "bf16", "s8", "s32", "s64", "u8", "u32", "pred")
OTHERS = (
    ("u64", "f32"),
    ("u64", "f64"),
    ("u64", "u32"),
    ("u32", "u64"),
    ("f32", "u64"),
    ("f64", "u64"),
    ("s16", "f32"),
    ("u16", "f32"),
)
EIGHT_BIT = ("f8e4m3fn", "f8e5m2")

# from type, its shape, to type, its shape: a wider type grows a trailing dimension when it is split.
BITCASTS = (
    ("f32", (16,), "s32", (16,)),
    ("s32", (16,), "f32", (16,)),
    ("f64", (16,), "u64", (16,)),
    ("u64", (16,), "f64", (16,)),
    ("f16", (16,), "u16", (16,)),
    ("bf16", (16,), "u16", (16,)),
    ("u16", (16,), "bf16", (16,)),
    ("f32", (4,), "u8", (4, 4)),
    ("u8", (4, 4), "f32", (4,)),
    ("u64", (4,), "u32", (4, 2)),
)


def convert(source: str, target: str) -> Program:
    a, b = tensor(source, ELEMENTS), tensor(target, ELEMENTS)
    return program(
        f"convert/{source}_to_{target}",
        f"Each element as the nearest {target}",
        [a],
        [b],
        f"%0 = stablehlo.convert %arg0 : ({a}) -> {b}",
    )


def bitcast(source: str, source_shape: tuple[int, ...], target: str, target_shape: tuple[int, ...]) -> Program:
    a, b = tensor(source, *source_shape), tensor(target, *target_shape)
    return program(
        f"bitcast/{source}_to_{target}",
        f"The bits of {source} read as {target}",
        [a],
        [b],
        f"%0 = stablehlo.bitcast_convert %arg0 : ({a}) -> {b}",
    )


def programs() -> list[Program]:
    return [
        *(convert(a, b) for a in MATRIX for b in MATRIX if a != b),
        *(convert(*pair) for pair in OTHERS),
        *(convert("f32", narrow) for narrow in EIGHT_BIT),
        *(convert(narrow, "f32") for narrow in EIGHT_BIT),
        *(bitcast(*row) for row in BITCASTS),
    ]
