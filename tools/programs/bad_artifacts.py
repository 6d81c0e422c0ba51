"""Artifacts that every plugin must refuse, made by damaging a good one."""

from __future__ import annotations

import hashlib
from pathlib import Path

MAGIC = b"ML\xefR"
PRODUCER = b"StableHLO_v1.0.0"


def noise(count: int) -> bytes:
    """Bytes without structure, the same on every machine."""
    blocks = (hashlib.sha256(f"noise {i}".encode()).digest() for i in range(count // 32 + 1))
    return b"".join(blocks)[:count]


def bad_artifacts(root: Path) -> list[tuple[str, str, bytes]]:
    """Name, reason and bytes of each."""
    good = (root / "artifacts/1.0.0/misc/add_one.mlirbc").read_bytes()
    if not good.startswith(MAGIC) or PRODUCER not in good:
        raise ValueError("misc/add_one at 1.0.0 does not begin as a portable artifact does")
    body = good.index(b"\0") + 1
    return [
        ("bad/artifact_empty", "No bytes at all", b""),
        ("bad/artifact_magic_only", "The four bytes of the magic and nothing after them", MAGIC),
        ("bad/artifact_wrong_magic", "A good artifact with one byte of the magic changed", b"MLXR" + good[4:]),
        ("bad/artifact_truncated_header", "Cut in the middle of the producer string", good[:12]),
        ("bad/artifact_truncated_half", "The first half of a good artifact", good[: len(good) // 2]),
        ("bad/artifact_truncated_last_byte", "A good artifact without its last byte", good[:-1]),
        ("bad/artifact_noise", "256 bytes without structure", noise(256)),
        ("bad/artifact_noise_after_header", "A good header followed by noise", good[:body] + noise(256)),
        ("bad/artifact_zeros_after_header", "A good header followed by zeros", good[:body] + bytes(256)),
        (
            "bad/artifact_future_bytecode",
            "A bytecode format version that does not exist yet (63)",
            good[:4] + bytes([63 << 1 | 1]) + good[5:],
        ),
        (
            "bad/artifact_unknown_op",
            "Names an op that no StableHLO version has",
            good.replace(b"add_v1", b"zzz_v9"),
        ),
    ]
