"""What training scripts leave out: loops, random numbers, vmap, moves, several devices, threads, errors. Prints it bit by bit."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

# JAX donates only on the platforms in its list; a plugin's Python package is added to it like this.
mlir._platforms_with_donation.append(jax.devices()[0].platform)
shard_map = jax.shard_map if hasattr(jax, "shard_map") else __import__("jax.experimental.shard_map").experimental.shard_map.shard_map


def show(name, *arrays):
    print(name, *(f"{a.dtype}{a.shape} {a.tobytes().hex()}" for a in map(np.asarray, arrays)))


@jax.jit
def running(x):
    return jax.lax.scan(lambda sum, row: (sum + row, sum * row), jnp.zeros(x.shape[1]), x)


show("scan", *running(jnp.arange(12.0).reshape(4, 3)))
show("random", jax.random.uniform(jax.random.key(1), (5,)), jax.random.bits(jax.random.key(2), (3,)))
show("vmap", jax.vmap(lambda a, b: a @ b)(jnp.ones((2, 3, 4)), jnp.arange(24.0).reshape(2, 4, 3)))
for dtype in (jnp.bfloat16, jnp.float16, jnp.int8, jnp.uint16, jnp.bool_, jnp.complex64, jnp.float8_e4m3fn):
    show("type", jax.jit(lambda a: (a, a[::-1]))(np.array([0, 1, 1, 0, 1], dtype))[1])
show("none", jax.jit(lambda x: x * 2)(jnp.zeros((0, 3))), jax.jit(lambda: jnp.arange(3))())

devices = jax.devices()
if len(devices) > 1:
    moved = jax.device_put(jnp.arange(6.0), devices[1])
    show("moved", moved, jax.jit(lambda a: a * 3)(moved), jax.device_put(moved, devices[0]))
if len(devices) > 3:
    # Not in the order of the devices.
    mesh = Mesh(np.array([devices[i] for i in (2, 0, 3, 1)]).reshape(2, 2), ("x", "y"))
    a = jax.device_put(np.arange(32, dtype=np.float32).reshape(4, 8), NamedSharding(mesh, P("x", "y")))
    b = jax.device_put(np.arange(16, dtype=np.float32).reshape(8, 2), NamedSharding(mesh, P("y")))
    whole = NamedSharding(mesh, P())
    show("product", jax.jit(lambda p, q: (p @ q, q * 2))(a, b)[0])
    show("gathered", jax.jit(lambda p: p + 1, out_shardings=whole)(a))
    step = jax.jit(lambda p, s: (p - 0.5 * s, p.sum()), donate_argnums=0)
    for _ in range(3):
        a, total = step(a, jax.device_put(np.float32(0.25), whole))
    show("donated", a, total)
    line = Mesh(np.array(devices[:4]), ("i",))
    ring = lambda v: jax.lax.ppermute(v, "i", [(i, (i + 1) % 4) for i in range(4)]) + jax.lax.psum(v, "i")
    show("ring", jax.jit(shard_map(ring, mesh=line, in_specs=P("i"), out_specs=P("i")))(jnp.arange(8.0)))
    show("replicas", jax.pmap(lambda v: v / jax.lax.psum(v, "r"), axis_name="r")(jnp.arange(1.0, 5.0)))

results = {}


def work(n):
    f = jax.jit(lambda x: jnp.cumsum(x) * n)
    for i in range(5):
        results[n, i] = np.asarray(f(np.arange(16, dtype=np.float32) + i))


threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for key in sorted(results):
    show(f"thread {key}", results[key])

x = jnp.arange(4.0)
x.delete()
try:
    np.asarray(x + 1)
except RuntimeError as error:
    print("deleted:", type(error).__name__)
