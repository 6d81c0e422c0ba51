"""Dumps what JAX functions can have, by the snippet of the documentation: `dump_cases.py DIRECTORY`."""

import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples", "programs"))

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from dump_program import dump_program

DIRECTORY = sys.argv[1]
X = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
BIG = np.arange(70_000, dtype=np.float32)


def dump(name, fn, *args, **kwargs):
    dump_program(DIRECTORY, name, fn, *args, **kwargs)


dump("tree", lambda d, **kw: {"sum": d["a"] + d["b"][0], "rest": (d["b"][1], kw["c"])}, {"a": X, "b": [X, 2 * X]}, c=X[0])
dump("static", jax.jit(lambda x, n: x ** n, static_argnums=1), X, 3, static_argnums=1)
dump("static_first", lambda axis, x: jnp.sum(x, axis), 0, X, static_argnums=0)
dump("donated", jax.jit(lambda x, y: (x + y, y), donate_argnums=0), X, X + 1, donate_argnums=0)
dump("unused", jax.jit(lambda x, y, z: y + 1), X, X[0], X[:, 0])
dump("no_inputs", lambda: jnp.arange(4))
dump("no_results", lambda x: None, X)
dump("scalars", lambda x, i, b: (x * i, jnp.where(b, x, 0)), 2.5, 3, True)
dump("weak", lambda x, s: x * s, X.astype(jnp.bfloat16), 1.5)
dump("key", lambda key: jax.random.uniform(key, (5,)), jax.random.key(3))
dump("key_out", lambda key: jax.random.split(key, 2), jax.random.key(3))
dump("old_key", lambda key: jax.random.bits(key, (5,)), jax.random.PRNGKey(3))
dump("bf16", lambda x: x @ x.T, X.astype(jnp.bfloat16))
dump("fp8", lambda x: x.astype(jnp.float32).astype(jnp.float8_e5m2), X.astype(jnp.float8_e4m3fn))
dump("s4", lambda x: x, X.astype(jnp.int4))
dump("complex", lambda x: x * x, X + 1j)
dump("fortran", lambda x: x, np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)))
dump("constant", lambda x: x + BIG, jnp.float32(1))
dump("wide", lambda x: x + 1, np.arange(3, dtype=np.float64))
dump("artifact_only", jnp.sin, X, text=False)
dump("text_only", jnp.sin, X, artifact=False)
dump("version", jnp.sin, X, text=False, version="0.9.0")
dump("nested", lambda x: jax.lax.fori_loop(0, 3, lambda i, a: jax.jit(jnp.tanh)(a), x), X)
dump("grad", jax.jit(jax.grad(lambda x: jnp.sum(jax.nn.gelu(x)))), X)
dump("empty", lambda x: x, np.zeros((0, 3), np.float32))
dump("ml_dtypes", lambda x: -x, np.arange(4).astype(ml_dtypes.float8_e5m2))
with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
    dump("x64", lambda x, i: (x / 3, i), np.arange(3, dtype=np.float64), 2**40)
    dump("x64_weak", lambda x: x + 1.0, 2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    dump("linalg", jnp.linalg.cholesky, jnp.eye(3))
    assert any("custom" in str(w.message) or "calls" in str(w.message) for w in caught), caught
