"""Writes fixtures/models: the results that models must have, from their JAX functions in f64; see docs/models.md.

python tools/models/generate.py            writes, and says how far XLA's CPU backend is from them
python tools/models/generate.py --check    computes them again and compares every array
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[1] / "programs"))

# After the switch above, or the checkout fills with caches.
import jax  # noqa: E402
import numpy as np  # noqa: E402

import bindings  # noqa: E402
from execute import execute, with_rounded_products  # noqa: E402
from inputs import NUMPY, generate  # noqa: E402
from model import Model  # noqa: E402
from model_catalogue import models  # noqa: E402

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
DIRECTORY = FIXTURES / "models"
BOUNDS = json.loads((FIXTURES.parent / "harness/knowledge/numerics/bounds.json").read_text())["ops"]["program"]
TYPES = {dtype: name for name, dtype in NUMPY.items()}


def true_results(model: Model) -> list[np.ndarray]:
    """In f64 where the model does not say otherwise; not yet rounded."""
    arguments = [generate(data) for data in model.arguments]
    if model.truth is not None:
        return [np.asarray(y) for y in model.truth(*arguments)]
    with jax.enable_x64(True):
        floating = [a.astype(np.float64) if is_float(a) else a for a in arguments]
        return [np.asarray(y) for y in jax.jit(model.function)(*floating)]


def is_float(array: np.ndarray) -> bool:
    return TYPES[array.dtype] in ("f32", "f64", "bf16")


def sampled(model: Model, name: str, array: np.ndarray) -> np.ndarray:
    sample = model.samples.get(name)
    if sample is None:
        return array
    return array[tuple(slice(*part) for part in zip(sample["start"], sample["limit"], sample["strides"], strict=True))]


def sums(model: Model, name: str, array: np.ndarray) -> dict[str, np.ndarray]:
    """Integers wrap around as they do on devices; numbers are integers too, in f64."""
    if name not in model.summed:
        return {}
    return {f"{name}_{word}": array.sum(axis=axis, dtype=array.dtype) for axis, word in ((1, "rows"), (0, "columns"))}


def expected(model: Model) -> dict[str, np.ndarray]:
    """What is stored: rounded to the types of the program's results."""
    shapes = jax.eval_shape(model.traced(), *model.shapes())
    stored = {}
    for name, shape, array in zip(model.outputs, shapes, true_results(model), strict=True):
        if array.shape != shape.shape:
            raise ValueError(f"{model.name}: {name} is {array.shape}, the program's is {shape.shape}")
        parts = {name: sampled(model, name, array), **sums(model, name, array)}
        stored |= {part: values.astype(shape.dtype) for part, values in parts.items()}
    return stored


def error(model: Model, name: str, actual: np.ndarray, true: np.ndarray) -> float:
    """Largest difference as a fraction of the largest magnitude; infinite where exact results differ."""
    if name in model.exact or not is_float(actual):
        return 0 if np.array_equal(actual, true.astype(actual.dtype)) else np.inf
    return float(np.max(np.abs(actual.astype(np.float64) - true)) / np.max(np.abs(true)))


def measured(model: Model) -> list[tuple[str, float, float]]:
    """For each output, how far the program is from the truth on XLA's CPU backend, and with products in bf16."""
    text = (FIXTURES / f"programs/model/{model.name}.mlir").read_text()
    arguments = [generate(data) for data in model.arguments]
    rounded = with_rounded_products(text, bindings.new_context())
    plain, narrow = execute(text, arguments), execute(rounded, arguments)
    return [
        (name, error(model, name, p, true), error(model, name, n, true))
        for name, true, p, n in zip(model.outputs, true_results(model), plain, narrow, strict=True)
    ]


def report(model: Model) -> None:
    """Prints the errors of right implementations, which must be within the bounds with which suites compare."""
    for name, plain, narrow in measured(model):
        print(f"{model.name:24} {name:8} {plain:.1e}  {narrow:.1e}")
        inside = model.inside or "f32"
        if plain > BOUNDS["standard"][inside]["norm"] or narrow > BOUNDS["relaxed"][inside]["norm"]:
            raise ValueError(f"{model.name}: the bounds of {name} are too narrow for right implementations")


def packed(array: np.ndarray) -> np.ndarray:
    """As NumPy stores types that it does not have."""
    return array.view("V2") if TYPES[array.dtype] == "bf16" else array


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()


def described(model: Model, stored: dict[str, np.ndarray]) -> dict:
    return {
        "name": model.name,
        "inputs": [digest(generate(data)) for data in model.arguments],
        "expected": {
            name: {"dtype": TYPES[a.dtype], "shape": list(a.shape), "sha256": digest(a)} for name, a in stored.items()
        },
    }


def write() -> int:
    DIRECTORY.mkdir(exist_ok=True)
    for old in DIRECTORY.glob("*.npz"):
        old.unlink()
    rows = []
    for model in models():
        stored = {} if model.by_oracle else expected(model)
        rows.append(described(model, stored))
        if stored:
            np.savez_compressed(DIRECTORY / f"{model.name}.npz", **{name: packed(a) for name, a in stored.items()})
            report(model)
    lines = ",\n".join(" " + json.dumps(row) for row in rows)
    (DIRECTORY / "manifest.json").write_text(f'{{"tools": {json.dumps(versions())}, "models": [\n{lines}\n]}}\n')
    return 0


def versions() -> dict[str, str]:
    return {"jax": jax.__version__, "numpy": np.__version__}


def check() -> int:
    manifest = {row["name"]: row for row in json.loads((DIRECTORY / "manifest.json").read_text())["models"]}
    wrong = []
    for model in models():
        given = described(model, {} if model.by_oracle else expected(model))
        if given != manifest.pop(model.name, None):
            wrong.append(model.name)
    wrong += manifest
    print("\n".join(f"differs: {name}" for name in wrong) or "up to date")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Computes the results of the models.")
    parser.add_argument("--check", action="store_true", help="compare with what is committed instead of writing")
    return check() if parser.parse_args().check else write()


if __name__ == "__main__":
    sys.exit(main())
