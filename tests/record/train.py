"""A small training in JAX, with donation: prints what it computes, bit by bit."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def loss(parameters, x, y):
    hidden = jnp.tanh(x @ parameters["a"] + parameters["b"])
    return jnp.mean((hidden @ parameters["c"] - y) ** 2)


@partial(jax.jit, donate_argnums=0)
def step(parameters, x, y):
    value, gradient = jax.value_and_grad(loss)(parameters, x, y)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradient)


key = jax.random.key(0)
parameters = {
    "a": jax.random.normal(key, (8, 16)),
    "b": jnp.zeros(16),
    "c": jax.random.normal(key, (16, 1)),
}
x = np.arange(64, dtype=np.float32).reshape(8, 8) / 64
y = np.ones((8, 1), np.float32)
for _ in range(10):
    value, parameters = step(parameters, x, y)
    print(float(value).hex())
print({name: np.asarray(p).tobytes().hex() for name, p in parameters.items()})
