"""Makes the programs of this directory: `python make.py [DIRECTORY]`. Needs JAX."""

import sys

import jax
import jax.numpy as jnp

from dump_program import dump_program

DIRECTORY = sys.argv[1] if len(sys.argv) > 1 else "."


def attention(q, k, v):
    """Attention of one head, in bfloat16 as models have it."""
    return jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[-1]).astype(q.dtype)) @ v


def normalized(x, epsilon):
    """A layer norm; the scale that it divided by is the second result."""
    deviation = jnp.sqrt(jnp.var(x, axis=-1) + epsilon)
    return (x - jnp.mean(x, axis=-1, keepdims=True)) / deviation[:, None], deviation


def counted(words):
    """How often each of eight words occurs."""
    return jnp.zeros(8, jnp.int32).at[words].add(1)


KEYS = jax.random.split(jax.random.key(0), 4)
q, k, v = (jax.random.normal(key, (16, 32), jnp.bfloat16) for key in KEYS[:3])
dump_program(DIRECTORY, "attention_bf16", attention, q, k, v)
dump_program(DIRECTORY, "layer_norm", normalized, jax.random.normal(KEYS[3], (5, 131)), 1e-5, artifact=False)
dump_program(DIRECTORY, "word_count", counted, jnp.arange(100, dtype=jnp.int32) ** 2 % 8, text=False)
