"""Loops, random numbers, vmap, element types, empty arrays, donation, threads, a deleted array, on one device."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir

# JAX donates only on the platforms in its list; a plugin's Python package is added to it like this.
mlir._platforms_with_donation.append(jax.devices()[0].platform)


@jax.jit
def running(x):
    return jax.lax.scan(lambda sum, row: (sum + row, sum * row), jnp.zeros(x.shape[1]), x)


def read(*arrays):
    return [np.asarray(a) for a in arrays]


read(*running(jnp.arange(12.0).reshape(4, 3)))
read(jax.random.uniform(jax.random.key(1), (5,)), jax.random.bits(jax.random.key(2), (3,)))
read(jax.vmap(lambda a, b: a @ b)(jnp.ones((2, 3, 4)), jnp.arange(24.0).reshape(2, 4, 3)))
for dtype in (jnp.bfloat16, jnp.float16, jnp.int8, jnp.uint16, jnp.bool_, jnp.complex64):
    read(jax.jit(lambda a: (a, a[::-1]))(np.array([0, 1, 1, 0, 1], dtype))[1])
read(jax.jit(lambda x: x * 2)(jnp.zeros((0, 3))), jax.jit(lambda: jnp.arange(3))())

step = jax.jit(lambda p, g: (p - 0.5 * g, (p * g).sum()), donate_argnums=0)
p = jnp.arange(64, dtype=np.float32).reshape(8, 8)
for _ in range(3):
    p, total = step(p, jnp.ones((8, 8)))
read(p, total)


def work(n):
    f = jax.jit(lambda x: jnp.cumsum(x) * n)
    for i in range(5):
        read(f(np.arange(16, dtype=np.float32) + i))


threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

x = jnp.arange(4.0)
x.delete()
try:
    read(x + 1)
except RuntimeError:
    pass
