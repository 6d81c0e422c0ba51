"""A program of the size at which models run: its JAX function, its data, and how its results are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

from inputs import NUMPY


@dataclass(frozen=True)
class Model:
    """`function` takes the arguments in order and returns one array for each name in `outputs`."""

    name: str
    about: str
    function: Callable
    # The data of each argument, as suites write it.
    arguments: list[dict]
    outputs: tuple[str, ...]
    # Also with this type inside: floating-point arguments and results are converted.
    inside: str | None = None
    # Outputs too large to be stored: the slice, as the oracle `slice` takes it.
    samples: dict[str, dict] = field(default_factory=dict)
    # Exact outputs too large to be stored: the sums of rows and of columns, which every single wrong element changes.
    summed: tuple[str, ...] = ()
    # Outputs that are exact, and so compared bit for bit.
    exact: tuple[str, ...] = ()
    # Expected results that are not those of the function in f64.
    truth: Callable[..., tuple[np.ndarray, ...]] | None = None
    # Expectations are computed by the harness; nothing is stored.
    by_oracle: bool = False
    # Shardings over the axis `x` of a mesh of two devices, for each argument and for the result.
    sharded: tuple | None = None

    def shapes(self) -> list[jax.ShapeDtypeStruct]:
        return [jax.ShapeDtypeStruct(tuple(d["shape"]), NUMPY[d["dtype"]]) for (d,) in (a.values() for a in self.arguments)]

    def traced(self) -> Callable:
        """The function as the program has it."""
        if self.inside is None:
            return named(self.function)
        inside = NUMPY[self.inside]

        def converted(*arguments):
            cast = [a.astype(inside) if jnp.issubdtype(a.dtype, jnp.floating) else a for a in arguments]
            return jax.tree.map(lambda y: y.astype(inside) if jnp.issubdtype(y.dtype, jnp.floating) else y, self.function(*cast))

        return named(converted)


def named(function: Callable) -> Callable:
    def main(*arguments):
        return function(*arguments)

    return main


def wide(x):
    """In f32 where it is narrower, as losses and normalisations are computed in mixed precision."""
    return x.astype(jnp.float32) if x.dtype == jnp.bfloat16 else x
