"""large: programs on arrays beyond 2 GiB, for cases that a manifest allows."""

from __future__ import annotations

from dtypes import tensor
from program import OLDEST, Program, program

BYTES = (2 << 30) + 3 * 4096


def turned(dtype: str, size: int) -> Program:
    t = tensor(dtype, BYTES // size)
    return program(
        f"large/not_{dtype}",
        "~x, for every bit of an array a little larger than 2 GiB",
        [t],
        [t],
        f"%0 = stablehlo.not %arg0 : {t}",
        uninterpreted="it would take hours",
        oldest=OLDEST,
    )


def programs() -> list[Program]:
    return [turned("u8", 1), turned("s32", 4)]
