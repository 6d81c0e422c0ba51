"""Element types: the harness's name, the MLIR spelling, and a value that the reference interpreter can be fed."""

from __future__ import annotations

MLIR = {
    "pred": "i1",
    "s2": "i2",
    "s4": "i4",
    "s8": "i8",
    "s16": "i16",
    "s32": "i32",
    "s64": "i64",
    "u2": "ui2",
    "u4": "ui4",
    "u8": "ui8",
    "u16": "ui16",
    "u32": "ui32",
    "u64": "ui64",
    "f16": "f16",
    "bf16": "bf16",
    "f32": "f32",
    "f64": "f64",
    "c64": "complex<f32>",
    "c128": "complex<f64>",
    "f8e3m4": "f8E3M4",
    "f8e4m3": "f8E4M3",
    "f8e4m3fn": "f8E4M3FN",
    "f8e4m3fnuz": "f8E4M3FNUZ",
    "f8e4m3b11fnuz": "f8E4M3B11FNUZ",
    "f8e5m2": "f8E5M2",
    "f8e5m2fnuz": "f8E5M2FNUZ",
    "f8e8m0fnu": "f8E8M0FNU",
    "f6e2m3fn": "f6E2M3FN",
    "f6e3m2fn": "f6E3M2FN",
    "f4e2m1fn": "f4E2M1FN",
}

HARNESS = {mlir: name for name, mlir in MLIR.items()}

# Elements of most element-wise programs: more than a tile of 128, odd, prime, and no multiple of any vector.
ELEMENTS = 131

SIGNED = ("s8", "s16", "s32", "s64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("f32", "f64", "f16", "bf16")


def tensor(dtype: str, *shape: int) -> str:
    """`tensor("s32", 2, 3)` is `tensor<2x3xi32>`; no shape is a scalar."""
    return "tensor<" + "".join(f"{d}x" for d in shape) + MLIR[dtype] + ">"


def is_float(dtype: str) -> bool:
    return dtype.startswith(("f", "bf"))


def is_complex(dtype: str) -> bool:
    return dtype.startswith("c")


def compare_type(dtype: str) -> str:
    """The comparison type StableHLO wants for operands of this element type."""
    if is_float(dtype) or is_complex(dtype):
        return "FLOAT"
    return "UNSIGNED" if dtype == "pred" or dtype.startswith("u") else "SIGNED"


def literal(dtype: str, value: int) -> str:
    """A splat of a small integer, as the inside of `dense<...>`."""
    if dtype == "pred":
        return "true" if value else "false"
    if is_complex(dtype):
        return f"({value}.0, 0.0)"
    return f"{value}.0" if is_float(dtype) else str(value)
