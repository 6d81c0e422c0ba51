"""The data of suites, made again: harness/knowledge/numerics/hash.ts and generate.ts, bit for bit."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

NUMPY = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "s32": np.dtype(np.int32),
    "u32": np.dtype(np.uint32),
    "pred": np.dtype(np.bool_),
}


def mix(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.uint32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def hashes(count: int, seed: int) -> np.ndarray:
    """Hash of the positions 0 ... count - 1 under a seed."""
    start = mix(np.array([(seed + 0x9E3779B9) % 2**32], np.uint64))
    with np.errstate(over="ignore"):
        return mix(np.arange(count, dtype=np.uint32) + start)


def generate(data: dict) -> np.ndarray:
    """An array as the data kinds `hash` (of signed and floating-point types), `draw` and `fill` describe it."""
    (kind, given), = data.items()
    dtype, shape = NUMPY[given["dtype"]], tuple(given["shape"])
    if kind == "fill":
        return np.full(shape, given["value"], dtype)
    numbers = hashes(math.prod(shape), given.get("seed", 0)).astype(np.int64)
    if kind == "draw":
        of = np.array(given["of"], dtype)
        values = of[numbers % len(of)]
        values[: len(of)] = of
    else:
        limit = given.get("range", 4)
        values = (numbers % (2 * limit + 1) - limit) * given.get("scale", 1)
        if not np.array_equal(values.astype(dtype).astype(np.float64), values):
            raise ValueError(f"{given} is not exact")
    return values.astype(dtype).reshape(shape)


def uniform(shape: tuple[int, ...], seed: int, *, within: float = 1, dtype: str = "f32") -> dict:
    """About 250 numbers of eight bits, which every floating-point type from bf16 on holds, between -within and within."""
    return {"hash": {"dtype": dtype, "shape": list(shape), "seed": seed, "range": 127, "scale": within / 128}}


def integers(shape: tuple[int, ...], seed: int, limit: int, dtype: str = "f32") -> dict:
    return {"hash": {"dtype": dtype, "shape": list(shape), "seed": seed, "range": limit}}


def one_of(values: list[int], shape: tuple[int, ...], seed: int, dtype: str = "s32") -> dict:
    return {"draw": {"dtype": dtype, "shape": list(shape), "of": values, "seed": seed}}


def fill(shape: tuple[int, ...], value: float, dtype: str = "f32") -> dict:
    return {"fill": {"dtype": dtype, "shape": list(shape), "value": value}}
