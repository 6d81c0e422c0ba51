"""Writes fixtures/expected: tables of correctly rounded results. Same version, same bytes; see docs/numerics.md.

    python -m venv venv && venv/bin/pip install mpmath==1.4.1
    venv/bin/python tools/expected/generate.py [directory]
"""

import hashlib
import json
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
from mpmath import mp

sys.dont_write_bytecode = True  # Nothing but tables is left behind.

import functions
import mathematics
import matrices
import points
from formats import FORMATS

VERSION = 1
MPMATH = "1.4.1"
COUNTS = {"f16": 512, "bf16": 512, "f32": 256, "f64": 256}
# Ops whose behaviour at subnormal operands is tabulated apart: f and what f gives if operands are flushed to zero.
SUBNORMAL_UNARY = ("abs", "negate", "sqrt", "sign", "floor", "ceil", "sine", "tanh", "exponential")
SUBNORMAL_BINARY = ("add", "subtract", "multiply", "maximum", "minimum")


class Tables:
    """Collects the files and their manifest."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.manifest = []

    def write(self, name: str, op: str, about: str, dtype, columns: dict[str, list[int]], precision: int):
        self.write_columns(name, op, about, dtype, {key: (dtype, bits, None) for key, bits in columns.items()}, precision)

    def write_columns(self, name: str, op: str, about: str, dtype, columns: dict[str, tuple], precision: int):
        """Columns of types and, where one is given, shapes of their own."""
        count = len(next(iter(columns.values()))[1])
        table = {
            "name": name,
            "op": op,
            "about": about,
            "count": count,
            "columns": {
                key: {
                    "dtype": own.name,
                    **({"shape": shape} if shape is not None else {}),
                    "hex": "".join(f"{b:0{own.bits // 4}x}" for b in bits),
                }
                for key, (own, bits, shape) in columns.items()
            },
        }
        text = json.dumps(table, separators=(",", ":")) + "\n"
        path = self.directory / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        self.manifest.append(
            {
                "name": name,
                "op": op,
                "dtype": dtype.name,
                "count": count,
                "columns": list(columns),
                # Working bits that were enough for every entry; 0 where integer arithmetic alone gave the result.
                "precision": precision,
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
            }
        )

    def write_manifest(self):
        rows = sorted(self.manifest, key=lambda row: row["name"])
        facts = {"generator": VERSION, "mpmath": MPMATH, "sources": sources_digest()}
        head = json.dumps(facts, separators=(",", ":"))[:-1]
        body = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        text = f'{head},"tables":[\n{body}\n]}}\n'
        (self.directory / "manifest.json").write_text(text, encoding="utf-8", newline="\n")


def sources_digest() -> str:
    """Digest of the generator itself, so that a change to it without a new run of it is found."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


ABOUT = "y = f(x), rounded to nearest even from the exact result"


def unary_table(tables: Tables, op: str, fmt):
    used = functions.Rounding()
    xs = points.unary_points(op, fmt, COUNTS[fmt.name])
    ys = [functions.unary(op, fmt, x, used) for x in xs]
    tables.write(f"unary/{op}_{fmt.name}", op, ABOUT, fmt, {"x": xs, "y": ys}, used.precision)


def binary_table(tables: Tables, op: str, fmt):
    used = functions.Rounding()
    pairs = points.binary_points(op, fmt, COUNTS[fmt.name])
    ys = [functions.binary(op, fmt, a, b, used) for a, b in pairs]
    columns = {"a": [a for a, _ in pairs], "b": [b for _, b in pairs], "y": ys}
    tables.write(f"binary/{op}_{fmt.name}", op, ABOUT.replace("f(x)", "f(a, b)"), fmt, columns, used.precision)


def flush(fmt, bits: int) -> int:
    return bits & fmt.sign if fmt.is_subnormal(bits) else bits


def subnormal_tables(tables: Tables, fmt):
    about = "y = f of subnormal operands; flushed = the same with subnormal operands and results replaced by zero"
    small = points.subnormals(fmt)
    for op in SUBNORMAL_UNARY:
        used = functions.Rounding()
        xs = [x for x in small if op != "sqrt" or not fmt.negative(x)]
        ys = [functions.unary(op, fmt, x, used) for x in xs]
        flushed = [flush(fmt, functions.unary(op, fmt, flush(fmt, x), used)) for x in xs]
        tables.write(f"subnormal/{op}_{fmt.name}", op, about, fmt, {"x": xs, "y": ys, "flushed": flushed}, used.precision)
    others = [fmt.one, fmt.min_normal | fmt.sign, fmt.min_normal + 1, 1, (fmt.min_normal - 1) | fmt.sign, fmt.round(Fraction(2) ** 10)]
    pairs = [(x, y) for x in small for y in others]
    for op in SUBNORMAL_BINARY:
        used = functions.Rounding()
        ys = [functions.binary(op, fmt, a, b, used) for a, b in pairs]
        flushed = [flush(fmt, functions.binary(op, fmt, flush(fmt, a), flush(fmt, b), used)) for a, b in pairs]
        columns = {"a": [a for a, _ in pairs], "b": [b for _, b in pairs], "y": ys, "flushed": flushed}
        tables.write(f"subnormal/{op}_{fmt.name}", op, about, fmt, columns, used.precision)


def composed_table(tables: Tables, fmt):
    """The first example of the documentation: f(x) = -(2 sin x) + x and its derivative."""
    used = functions.Rounding()
    xs = [fmt.round(Fraction(n)) for n in (3, 0, 1, -1, 2, -2, 4, 5, 10, -10)]
    xs += [points.spread(fmt, i, -3, 3, "both", 0) for i in range(54)]

    def at(x: int, compute) -> int:
        value = fmt.value(x)
        return functions.ziv(fmt, lambda: compute(functions.real(value)), used)

    # At 0 the value is exactly 0 and the derivative exactly -1; elsewhere both are irrational.
    ys = [0 if x == 0 else at(x, lambda v: v - 2 * mp.sin(v)) for x in xs]
    dys = [fmt.one | fmt.sign if x == 0 else at(x, lambda v: 1 - 2 * mp.cos(v)) for x in xs]
    about = "y = -(2 sin x) + x and dy = -(2 cos x) + 1, each rounded once from the exact result"
    tables.write(f"composed/sine_residual_{fmt.name}", "sine_residual", about, fmt, {"x": xs, "y": ys, "dy": dys}, used.precision)


def main(directory: Path):
    if mpmath.__version__ != MPMATH:
        raise SystemExit(f"mpmath {MPMATH} is needed, {mpmath.__version__} is installed")
    tables = Tables(directory)
    for fmt in FORMATS.values():
        for op in points.UNARY:
            unary_table(tables, op, fmt)
        for op in points.BINARY:
            binary_table(tables, op, fmt)
        subnormal_tables(tables, fmt)
    for name in ("f32", "f64"):
        composed_table(tables, FORMATS[name])
    mathematics.write(tables)
    matrices.write(tables)
    tables.write_manifest()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "fixtures" / "expected")
