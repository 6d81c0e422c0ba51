"""The first steps of a JAX user on a new backend. Prints one JSON object with the results, which the test checks.

Started with PJRT_NAMES_AND_LIBRARY_PATHS and JAX_PLATFORMS set.
"""

import json
import math
import sys
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

# JAX donates only on the platforms in its list; a plugin's Python package is added to it like this.
from jax._src.interpreters import mlir

mlir._platforms_with_donation.append(jax.devices()[0].platform)

results: dict[str, object] = {}


def step(function):
    try:
        results[function.__name__] = function()
    except Exception:
        results[function.__name__] = {"error": traceback.format_exc(limit=4)[-3000:]}


@step
def devices():
    return [[d.platform, d.id, d.device_kind] for d in jax.devices()]


@step
def add():
    return np.asarray(jax.jit(jnp.add)(jnp.arange(4.0), jnp.ones(4))).tolist()


@step
def value_and_gradient():
    value, gradient = jax.jit(jax.value_and_grad(lambda x: -(2 * jnp.sin(x)) + x))(3.0)
    return [float(value), float(gradient)]


@step
def matmul():
    left = np.arange(12, dtype=np.float32).reshape(3, 4)
    right = np.arange(20, dtype=np.float32).reshape(4, 5)
    return np.asarray(jax.jit(jnp.matmul)(left, right)).tolist() == (left @ right).tolist()


@step
def donation():
    x = jnp.arange(8.0)
    y = jax.jit(lambda v: v + 1, donate_argnums=0)(x)
    return {"result": np.asarray(y).tolist(), "deleted": x.is_deleted()}


@step
def loop():
    total = jax.jit(lambda n: jax.lax.fori_loop(0, n, lambda i, s: s + i * i, 0))(10)
    return int(total)


@step
def random():
    key = jax.random.PRNGKey(7)
    return np.asarray(jax.random.bits(key, (4,), dtype=jnp.uint32)).tolist()


@step
def sort_and_index():
    x = jnp.array([3.0, 1.0, 2.0])
    return [np.asarray(jnp.sort(x)).tolist(), int(jnp.argmax(x)), np.asarray(x[jnp.array([2, 0])]).tolist()]


@step
def special_functions():
    """Results further than 4 ULP from the exact value. Some releases send these as custom calls."""
    arguments = {
        "erf": [-2.5, -0.75, -0.0, 1e-6, 0.9, 3.5],
        "asin": [-1.0, -0.5, 0.0, 0.3, 0.9],
        "acos": [-1.0, -0.5, 0.0, 0.3, 0.9],
        "atan": [-30.0, -0.5, 0.0, 0.3, 4.0],
        "sinh": [-3.0, -0.5, 0.0, 0.3, 4.0],
        "cosh": [-3.0, -0.5, 0.0, 0.3, 4.0],
        "asinh": [-3.0, -0.5, 0.0, 0.3, 40.0],
        "acosh": [1.0, 1.5, 2.0, 40.0],
        "atanh": [-0.9, -0.5, 0.0, 0.3, 0.7],
    }
    far = {}
    for name, values in arguments.items():
        x = np.array(values, dtype=np.float32)
        got = np.asarray(jax.jit(getattr(jax.lax, name))(x)).astype(np.float64)
        exact = np.array([getattr(math, name)(float(v)) for v in x])
        ulps = np.abs(got - exact) / np.spacing(np.maximum(np.abs(exact), 1e-30).astype(np.float32))
        if not np.all(ulps <= 4):
            far[name] = float(ulps.max())
    return far


@step
def top_k():
    rows = jnp.array([[1.0, 3.0, 3.0, -2.0, 0.0], [-jnp.inf, jnp.nan, 5.0, jnp.inf, -1.0]])
    values, places = jax.jit(lambda v: jax.lax.top_k(v, 3))(rows)
    integers, order = jax.jit(lambda v: jax.lax.top_k(v, 2))(jnp.array([4, -7, 9, 9]))
    return [str(np.asarray(values).tolist()), np.asarray(places).tolist(), np.asarray(integers).tolist(), np.asarray(order).tolist()]


@step
def dlpack():
    x = jnp.arange(6.0).reshape(2, 3)
    return np.asarray(x).tolist()


@step
def second_device():
    x = jax.device_put(jnp.arange(3.0), jax.devices()[1])
    return [list(x.devices())[0].id, np.asarray(x * 2).tolist()]


@step
def shard_map():
    mesh = Mesh(np.array(jax.devices()[:4]), ("i",))
    x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, P("i")))
    sums = jax.jit(
        jax.shard_map(lambda v: jax.lax.psum(v, "i") + v, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    )(x)
    return {"result": np.asarray(sums).tolist(), "shards": len(sums.addressable_shards)}


@step
def sharded_jit():
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
    a = jax.device_put(np.arange(16, dtype=np.float32).reshape(4, 4), NamedSharding(mesh, P("x", "y")))
    b = jax.device_put(np.eye(4, dtype=np.float32) * 2, NamedSharding(mesh, P("y", None)))
    c = jax.jit(lambda p, q: p @ q + 1)(a, b)
    return np.asarray(c).tolist() == (np.arange(16, dtype=np.float32).reshape(4, 4) * 2 + 1).tolist()


@step
def ahead_of_time():
    compiled = jax.jit(lambda v: v * 3).lower(jax.ShapeDtypeStruct((2,), jnp.float32)).compile()
    return [np.asarray(compiled(jnp.ones(2))).tolist(), compiled.cost_analysis() is not None]


@step
def error_in_program():
    try:
        jax.device_put(jnp.ones(3), jax.devices()[0]).delete()
        return "deleted"
    except Exception as error:  # with the plugin's message
        return str(error)


results["jax"] = jax.__version__
json.dump(results, sys.stdout)
