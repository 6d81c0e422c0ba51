"""Training: an MLP's step, a convolutional network's gradient, Adam."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from inputs import fill, one_of, uniform
from model import Model, wide


def cross_entropy(logits, labels):
    chosen = jax.nn.log_softmax(wide(logits))
    return -jnp.mean(jnp.take_along_axis(chosen, labels[:, None], axis=1))


def mlp_step(w1, b1, w2, b2, w3, b3, x, labels):
    """Forward, backward, and a step of gradient descent."""

    def loss(parameters):
        (w1, b1), (w2, b2), (w3, b3) = parameters
        h = jax.nn.relu(x @ w1 + b1)
        h = jnp.tanh(h @ w2 + b2)
        return cross_entropy(h @ w3 + b3, labels)

    parameters = [(w1, b1), (w2, b2), (w3, b3)]
    value, gradient = jax.value_and_grad(loss)(parameters)
    # As long a step that the gradient is no smaller than what it is subtracted from.
    stepped = jax.tree.map(lambda p, g: p - 4 * g, parameters, gradient)
    return value, *jax.tree.leaves(stepped)


def mlp() -> Model:
    batch, features, one, two, classes = 33, 131, 193, 129, 10
    return Model(
        "mlp_step",
        "A training step of a perceptron with two hidden layers: cross entropy, its gradient, and gradient descent",
        mlp_step,
        [
            uniform((features, one), 1, within=0.125),
            uniform((one,), 2, within=0.125),
            uniform((one, two), 3, within=0.125),
            uniform((two,), 4, within=0.125),
            uniform((two, classes), 5, within=0.25),
            uniform((classes,), 6, within=0.25),
            uniform((batch, features), 7, within=2),
            one_of(list(range(classes)), (batch,), 8),
        ],
        ("loss", "w1", "b1", "w2", "b2", "w3", "b3"),
    )


def convnet_gradient(k1, b1, k2, b2, w, b, images, labels):
    def loss(k1, b1, k2, b2, w, b):
        layout = ("NHWC", "HWIO", "NHWC")
        h = lax.conv_general_dilated(images, k1, (1, 1), "SAME", dimension_numbers=layout)
        h = jax.nn.relu(h + b1)
        h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        h = lax.conv_general_dilated(h, k2, (2, 2), "SAME", dimension_numbers=layout)
        h = jnp.tanh(h + b2)
        h = wide(h).mean(axis=(1, 2)).astype(h.dtype)
        return cross_entropy(h @ w + b, labels)

    value, gradient = jax.value_and_grad(loss, argnums=range(6))(k1, b1, k2, b2, w, b)
    return value, *gradient


def convnet() -> Model:
    return Model(
        "convnet_gradient",
        "The loss of two convolutions with a maximum pool between them, and its gradient",
        convnet_gradient,
        [
            uniform((3, 3, 3, 17), 1, within=0.5),
            uniform((17,), 2, within=0.5),
            uniform((3, 3, 17, 24), 3, within=0.25),
            uniform((24,), 4, within=0.25),
            uniform((24, 10), 5),
            uniform((10,), 6),
            uniform((5, 19, 18, 3), 7, within=2),
            one_of([3, 1, 4, 9, 6], (5,), 8),
        ],
        ("loss", "k1", "b1", "k2", "b2", "w", "b"),
    )


def adam_step(step, w, b, e, mw, mb, me, vw, vb, ve, gw, gb, ge):
    """Adam with bias correction, as optax has it, over a tree of three parameters."""
    parameters, first, second, gradient = [w, b, e], [mw, mb, me], [vw, vb, ve], [gw, gb, ge]
    count = step + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    power = count.astype(w.dtype)
    corrected_m = jax.tree.map(lambda m: m / (1 - 0.9**power), m)
    corrected_v = jax.tree.map(lambda v: v / (1 - 0.999**power), v)
    update = jax.tree.map(lambda m, v: m / (jnp.sqrt(v) + 1e-8), corrected_m, corrected_v)
    return *jax.tree.map(lambda p, u: p - 0.25 * u, parameters, update), *m, *v


def adam() -> Model:
    shapes = [(67, 65), (65,), (31, 33)]
    tree = lambda first, make: [make(shape, first + i) for i, shape in enumerate(shapes)]  # noqa: E731
    return Model(
        "adam_step",
        "Adam with bias correction over a tree of parameters",
        adam_step,
        [
            fill((), 2, "s32"),
            *tree(1, uniform),
            *tree(11, lambda shape, seed: uniform(shape, seed, within=0.5)),
            *tree(21, lambda shape, seed: one_of([0.5, 0.25, 0.75, 1, 0.125], shape, seed, "f32")),
            *tree(31, uniform),
        ],
        ("w", "b", "e", "mw", "mb", "me", "vw", "vb", "ve"),
    )


def models() -> list[Model]:
    return [mlp(), convnet(), adam()]
