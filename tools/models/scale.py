"""Operations at the sizes of models: normalisation over long rows, embeddings, products of large matrices."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from inputs import integers, one_of, uniform
from model import Model
from sequences import layer_norm


def softmax(x):
    return jax.nn.softmax(x, axis=-1), jax.nn.logsumexp(x, axis=-1)


def layer_norm_gradient(x, scale, bias, cotangent):
    y, backward = jax.vjp(layer_norm, x, scale, bias)
    return y, *backward(cotangent)


def embed(table, ids, cotangent):
    """Looked up and, backward, added at the same places, some of them several times."""
    y, backward = jax.vjp(lambda table: jnp.take(table, ids, axis=0), table)
    return y, *backward(cotangent)


def matmul(x, y):
    return (x @ y,)


def two_layers(x, w1, w2):
    """Split by columns, then by rows, as models are for several devices: the second product needs a sum over them."""
    return (jax.nn.relu(x @ w1) @ w2,)


def models() -> list[Model]:
    long_rows, rows = (33, 8193), (129, 2049)
    return [
        Model(
            "softmax",
            "softmax and logsumexp over rows of 8193",
            softmax,
            [uniform(long_rows, 1, within=16)],
            ("y", "total"),
            samples={"y": {"start": [0, 8], "limit": list(long_rows), "strides": [1, 31]}},
        ),
        Model(
            "layer_norm",
            "Layer normalisation of rows of 2049, forward and backward",
            layer_norm_gradient,
            [uniform(rows, 1, within=4), uniform(rows[1:], 2), uniform(rows[1:], 3), uniform(rows, 4)],
            ("y", "dx", "dscale", "dbias"),
            samples={
                "y": {"start": [0, 8], "limit": list(rows), "strides": [4, 17]},
                "dx": {"start": [0, 8], "limit": list(rows), "strides": [4, 17]},
            },
        ),
        Model(
            "embedding",
            "Rows of a table by number, and the gradient of the table, in which rows that occur twice add up",
            embed,
            [
                integers((1003, 65), 1, 4),
                one_of([1002, 0, 77, 501, 502, 77, 76, 910, 3, 256, 1001, 128, 77, 640], (259,), 2),
                integers((259, 65), 3, 4),
            ],
            ("y", "dtable"),
            exact=("y", "dtable"),
            by_oracle=True,
        ),
        Model(
            "matmul_2113x16x2179",
            "A product with more than 2048 by 2048 elements",
            matmul,
            [integers((2113, 16), 1, 4), integers((16, 2179), 2, 4)],
            ("y",),
            exact=("y",),
            summed=("y",),
            samples={"y": {"start": [0, 0], "limit": [2113, 2179], "strides": [37, 41]}},
        ),
        Model(
            "matmul_2048x2176x2304",
            "A product of matrices of more than 2048 by 2048 elements",
            matmul,
            [integers((2048, 2176), 1, 1), integers((2176, 2304), 2, 1)],
            ("y",),
            exact=("y",),
            summed=("y",),
            samples={"y": {"start": [0, 0], "limit": [2048, 2304], "strides": [37, 41]}},
        ),
        Model(
            "sharded_mlp",
            "Two layers over two devices: the first split by columns, the second by rows, their product summed",
            two_layers,
            [integers((34, 66), 1, 2), integers((66, 130), 2, 1), integers((130, 18), 3, 1)],
            ("y",),
            exact=("y",),
            by_oracle=True,
            sharded=((None, None), (None, "x"), ("x", None), (None, None)),
        ),
    ]
