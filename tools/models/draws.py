"""Random numbers and sampling, as jax.random and jax.lax have them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from inputs import fill, one_of, uniform
from model import Model

ROWS, COLUMNS = 257, 131
BITS = (1031, 1024)


def random_bits(seed):
    key = jax.random.key(seed, impl="threefry2x32")
    return (jax.random.bits(jax.random.fold_in(key, 7), BITS, "uint32"),)


def random_uniform(seed):
    key = jax.random.key(seed, impl="threefry2x32")
    # As bits, which are the same wherever they are computed.
    return (lax.bitcast_convert_type(jax.random.uniform(key, BITS, jnp.float32), jnp.uint32),)


def random_normal(seed):
    key = jax.random.key(seed, impl="threefry2x32")
    return (jax.random.normal(key, (ROWS, COLUMNS), jnp.float32),)


def threefry(key: tuple[int, int], counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Threefry-2x32 of 64-bit counts, written from its paper (Salmon et al., Parallel Random Numbers, 2011)."""
    k = [np.uint32(key[0]), np.uint32(key[1])]
    k.append(np.uint32(k[0] ^ k[1] ^ np.uint32(0x1BD11BDA)))
    with np.errstate(over="ignore"):
        x = (counts >> np.uint64(32)).astype(np.uint32) + k[0]
        y = counts.astype(np.uint32) + k[1]
        for block in range(5):
            for turn in (13, 15, 26, 6) if block % 2 == 0 else (17, 29, 16, 24):
                x = x + y
                y = ((y << np.uint32(turn)) | (y >> np.uint32(32 - turn))) ^ x
            x = x + k[(block + 1) % 3]
            y = y + k[(block + 2) % 3] + np.uint32(block + 1)
    return x, y


def words(key: tuple[int, int], shape: tuple[int, int]) -> np.ndarray:
    x, y = threefry(key, np.arange(shape[0] * shape[1], dtype=np.uint64))
    return (x ^ y).reshape(shape)


def folded(seed: int, number: int) -> tuple[int, int]:
    x, y = threefry((0, seed), np.array([number], np.uint64))
    return int(x[0]), int(y[0])


def true_bits(seed):
    return (words(folded(int(seed), 7), BITS),)


def in_unit(bits: np.ndarray) -> np.ndarray:
    return ((bits >> np.uint32(9)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def true_uniform(seed):
    return (in_unit(words((0, int(seed)), BITS)).view(np.uint32),)


def true_normal(seed):
    lo = np.nextafter(np.float32(-1), np.float32(0))
    unit = in_unit(words((0, int(seed)), (ROWS, COLUMNS)))
    between = np.maximum(lo, unit * (np.float32(1) - lo) + lo)
    with jax.enable_x64(True):
        return (np.sqrt(2) * np.asarray(lax.erf_inv(jnp.asarray(between, jnp.float64))),)


def sample(logits, noise, seed):
    """The largest 40, the most likely with the given noise, and a draw by Gumbel's trick."""
    values, places = lax.top_k(logits, 40)
    key = jax.random.key(seed, impl="threefry2x32")
    return values, places, jnp.argmax(logits + noise, axis=-1), jax.random.categorical(key, logits)


def true_sample(logits, noise, seed):
    # Equal values keep their order.
    places = np.argsort(-logits.astype(np.float64), axis=1, kind="stable")[:, :40]
    tiny = np.float64(np.finfo(np.float32).tiny)
    unit = np.maximum(tiny, in_unit(words((0, int(seed)), logits.shape)).astype(np.float64))
    scores = logits - np.log(-np.log(unit))
    best = np.sort(scores, axis=1)
    # The logarithms of a device are rounded, so the best must not be nearly equal.
    assert np.min(best[:, -1] - best[:, -2]) > 0.02, np.min(best[:, -1] - best[:, -2])
    return (
        np.take_along_axis(logits, places, 1),
        places.astype(np.int32),
        np.argmax(logits.astype(np.float64) + noise, axis=1).astype(np.int32),
        np.argmax(scores, axis=1).astype(np.int32),
    )


def models() -> list[Model]:
    seed = fill((), 1701, "s32")
    return [
        Model(
            "random_bits",
            "A million words of jax.random.bits from a folded key",
            random_bits,
            [seed],
            ("bits",),
            exact=("bits",),
            summed=("bits",),
            samples={"bits": {"start": [0, 0], "limit": list(BITS), "strides": [37, 41]}},
            truth=true_bits,
        ),
        Model(
            "random_uniform",
            "A million numbers of jax.random.uniform in f32, as their bits",
            random_uniform,
            [seed],
            ("bits",),
            exact=("bits",),
            summed=("bits",),
            samples={"bits": {"start": [0, 0], "limit": list(BITS), "strides": [37, 41]}},
            truth=true_uniform,
        ),
        Model(
            "random_normal",
            "Numbers of jax.random.normal in f32",
            random_normal,
            [seed],
            ("y",),
            truth=true_normal,
        ),
        Model(
            "sampling",
            "From logits over 1009 words: the largest 40, the most likely with given noise, and jax.random.categorical",
            sample,
            [
                uniform((11, 1009), 1, within=8),
                uniform((11, 1009), 2, within=4),
                fill((), 24, "s32"),
            ],
            ("values", "places", "noisy", "drawn"),
            exact=("values", "places", "noisy", "drawn"),
            truth=true_sample,
        ),
    ]
