"""What JAX itself sends for calls that plugins have got wrong: lowered by the pinned JAX, for a plugin that it does not know."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name, checkpoint_policies

from program import Program

HOST, DEVICE = jax.memory.Space.Host, jax.memory.Space.Device
UNINTERPRETED = "there is no other memory"


def lowered(name: str, about: str, function: Callable, *shapes: tuple[tuple[int, ...], str], **more) -> Program:
    """The module of `jax.jit(function)` for TPUs, for which JAX has rules of its own only where values move between memories."""
    arguments = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",)).as_text()
    return Program(name=name, text=text, about=about, **more)


def random_bits(seed):
    """The old split of counters, for which JAX's tests have the words."""
    with jax.threefry_partitionable(False):
        key = jax.random.key(seed, impl="threefry2x32")
        return jax.random.key_data(key), jax.random.bits(key, (3,), "uint32")


def take(x, i):
    return (
        jnp.take(x, i, axis=0, mode="fill", fill_value=-77.0),
        jnp.take(x, i, axis=0, mode="clip"),
        jnp.take(x, i, axis=0, mode="wrap"),
    )


def update(x, i, u):
    return x.at[i].set(u, mode="drop"), x.at[i].add(u, mode="drop")


def extremes(x):
    return jnp.argmax(x, axis=1), jnp.argmin(x, axis=1)


def sort(a, b, c):
    return tuple(lax.sort((a, b, c), num_keys=2))


def offload(x):
    return jax.device_put(jax.device_put(x * 2, HOST), DEVICE) + 1


def offload_output(x):
    return jax.device_put(x + 1, HOST)


def offload_loop(x):
    """What a loop needs later is on the host meanwhile."""

    def forward(sum, row):
        return sum + row, jax.device_put((sum + row) * 2, HOST)

    def backward(sum, saved):
        return sum + jax.device_put(saved, DEVICE), None

    total, saved = lax.scan(forward, jnp.zeros(x.shape[1:], x.dtype), x)
    return lax.scan(backward, total, saved, reverse=True)[0]


def offload_gradient(x):
    """The gradient of sum(x^4), for which x^2 is kept on the host as users of jax.checkpoint ask for it."""
    policy = checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["square"],
        offload_src="device",
        offload_dst="pinned_host",
    )

    def function(x):
        square = checkpoint_name(x * x, "square")
        return jnp.sum(square * square)

    return jax.grad(jax.checkpoint(function, policy=policy))(x)


def programs() -> list[Program]:
    return [
        lowered(
            "rng/jax_random_bits",
            "jax.random.key of a seed, and three words of jax.random.bits",
            random_bits,
            ((), "int32"),
        ),
        lowered(
            "index/jax_take",
            "Rows by number with jnp.take: filled, clipped and wrapped where out of bounds",
            take,
            ((5, 3), "float32"),
            ((7,), "int32"),
        ),
        lowered(
            "index/jax_update",
            "Rows replaced and added at indices; those out of bounds are dropped",
            update,
            ((5, 3), "float32"),
            ((4,), "int32"),
            ((4, 3), "float32"),
        ),
        lowered(
            "reduce/jax_argmax_f32",
            "jnp.argmax and jnp.argmin of each row",
            extremes,
            ((5, 37), "float32"),
        ),
        lowered(
            "shape/jax_sort",
            "lax.sort of three arrays by the first two",
            sort,
            ((37,), "float32"),
            ((37,), "int32"),
            ((37,), "int32"),
        ),
        lowered(
            "memory/jax_offload",
            "2x + 1, where 2x goes to host memory and back",
            offload,
            ((4,), "float32"),
            uninterpreted=UNINTERPRETED,
        ),
        lowered(
            "memory/jax_offload_output",
            "x + 1, which goes to host memory",
            offload_output,
            ((4,), "float32"),
            uninterpreted=UNINTERPRETED,
        ),
        lowered(
            "memory/jax_offload_loop",
            "The sum of all rows, and twice each sum of the first rows, which are kept in host memory between two loops",
            offload_loop,
            ((3, 4), "float32"),
            uninterpreted=UNINTERPRETED,
        ),
        lowered(
            "memory/jax_offload_gradient",
            "4x^3, from x^2 that is kept in host memory",
            offload_gradient,
            ((4,), "float32"),
            uninterpreted=UNINTERPRETED,
        ),
    ]
