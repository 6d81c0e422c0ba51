"""Models of sequences: attention, a transformer block, a recurrent network, decoding with a cache."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from inputs import one_of, uniform
from model import Model, wide


def heads_attention(q, k, v, mask):
    """softmax(q k' / sqrt(d)) v where the mask holds; q, k, v are [batch, head, position, channel]."""
    scores = wide(jnp.einsum("bhqd,bhkd->bhqk", q, k)) * (q.shape[-1] ** -0.5)
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e30), axis=-1)
    return jnp.einsum("bhqk,bhkd->bhqd", weights.astype(v.dtype), v)


def masked_attention(q, k, v, lengths):
    """Causal, and only to positions within the length of each sequence."""
    at = jnp.arange(q.shape[2])
    mask = (at[:, None] >= at[None, :])[None, None] & (at[None, None, None, :] < lengths[:, None, None, None])
    return (heads_attention(q, k, v, mask),)


def attention() -> Model:
    shape = (2, 3, 129, 40)
    return Model(
        "attention",
        "Attention of three heads over 129 positions: causal, and to the length of each sequence",
        masked_attention,
        [
            uniform(shape, 1, within=2),
            uniform(shape, 2, within=2),
            uniform(shape, 3),
            one_of([129, 77], (2,), 0),
        ],
        ("y",),
    )


def layer_norm(x, scale, bias):
    x = wide(x)
    mean = x.mean(axis=-1, keepdims=True)
    variance = jnp.square(x - mean).mean(axis=-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * wide(scale) + wide(bias)


HEADS = 3


def transformer_block(x, s1, o1, wqkv, wo, s2, o2, w1, w2):
    """Normalised before attention and before the two layers; gelu by tanh."""
    batch, length, width = x.shape
    h = layer_norm(x, s1, o1).astype(x.dtype)
    qkv = (h @ wqkv).reshape(batch, length, 3, HEADS, width // HEADS)
    q, k, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
    a = heads_attention(q, k, v, jnp.tril(jnp.ones((length, length), bool)))
    x = x + a.transpose(0, 2, 1, 3).reshape(batch, length, width) @ wo
    h = layer_norm(x, s2, o2).astype(x.dtype)
    return x + jax.nn.gelu(h @ w1, approximate=True) @ w2


def transformer_gradient(*arguments):
    *given, cotangent = arguments
    y, backward = jax.vjp(transformer_block, *given)
    return y, *backward(cotangent)


def transformer() -> Model:
    x, width, inner = (2, 49, 96), 96, 193
    return Model(
        "transformer_block",
        "A transformer block with causal attention, forward and backward",
        transformer_gradient,
        [
            uniform(x, 1, within=2),
            one_of([1, 1.5, 0.75, 1.25], (width,), 2, "f32"),
            uniform((width,), 3, within=0.25),
            uniform((width, 3 * width), 4, within=0.125),
            uniform((width, width), 5, within=0.125),
            one_of([1.25, 1, 0.5, 0.875], (width,), 6, "f32"),
            uniform((width,), 7, within=0.25),
            uniform((width, inner), 8, within=0.125),
            uniform((inner, width), 9, within=0.125),
            uniform(x, 10),
        ],
        ("y", "dx", "ds1", "do1", "dwqkv", "dwo", "ds2", "do2", "dw1", "dw2"),
    )


def lstm(wx, wh, b, x):
    """Over [time, batch, features]; all outputs, and the last state."""
    size = wh.shape[0]

    def step(carry, x_t):
        h, c = carry
        gates = x_t @ wx + h @ wh + b
        i, f, g, o = (gates[:, n * size : (n + 1) * size] for n in range(4))
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[1], size), x.dtype)
    (_, c), outputs = lax.scan(step, (zero, zero), x)
    return outputs, c


def lstm_gradient(wx, wh, b, x, cotangent):
    (outputs, c), backward = jax.vjp(lstm, wx, wh, b, x)
    dwx, dwh, db, _ = backward((cotangent, jnp.zeros_like(c)))
    return outputs, c, dwx, dwh, db


def recurrent() -> Model:
    time, batch, features, size = 23, 7, 37, 65
    return Model(
        "lstm_scan",
        "An LSTM over 23 steps by lax.scan, forward and backward through time",
        lstm_gradient,
        [
            uniform((features, 4 * size), 1, within=0.25),
            uniform((size, 4 * size), 2, within=0.125),
            uniform((4 * size,), 3, within=0.125),
            uniform((time, batch, features), 4, within=2),
            uniform((time, batch, size), 5),
        ],
        ("outputs", "c", "dwx", "dwh", "db"),
    )


PROMPT = 5


def greedy_decode(embedding, wqkv, wo, unembedding, prompt, positions):
    """One layer decodes greedily: each step writes keys and values into a cache at its position."""
    batch, total, width = prompt.shape[0], positions.shape[0], embedding.shape[1]
    zero = jnp.zeros((), jnp.int32)
    tokens = jnp.zeros((batch, total), jnp.int32)
    tokens = lax.dynamic_update_slice(tokens, prompt, (zero, zero))
    cache = jnp.zeros((2, batch, HEADS, total, width // HEADS), embedding.dtype)

    def more(state):
        return state[0] < total - 1

    def step(state):
        at, tokens, cache, history = state
        token = lax.dynamic_slice(tokens, (zero, at), (batch, 1))[:, 0]
        h = embedding[token] + lax.dynamic_slice(positions, (at, zero), (1, width))
        qkv = (h @ wqkv).reshape(batch, 3, HEADS, width // HEADS)
        now = qkv[:, 1:].transpose(1, 0, 2, 3)[:, :, :, None]
        cache = lax.dynamic_update_slice(cache, now, (zero, zero, zero, at, zero))
        seen = jnp.arange(total) <= at
        a = heads_attention(qkv[:, 0][:, :, None], cache[0], cache[1], seen)
        h = h + a.reshape(batch, width) @ wo
        logits = h @ unembedding
        following = jnp.where(at + 1 < PROMPT, lax.dynamic_slice(tokens, (zero, at + 1), (batch, 1))[:, 0],
                              jnp.argmax(logits, axis=-1).astype(jnp.int32))
        tokens = lax.dynamic_update_slice(tokens, following[:, None], (zero, at + 1))
        history = lax.dynamic_update_slice(history, logits[None], (at, zero, zero))
        return at + 1, tokens, cache, history

    history = jnp.zeros((total - 1, batch, unembedding.shape[1]), embedding.dtype)
    _, tokens, cache, history = lax.while_loop(more, step, (zero, tokens, cache, history))
    return tokens, cache, history


def true_decode(*arguments):
    """A right device may be off by a hundredth of the largest logit: no choice may be that close."""
    with jax.enable_x64(True):
        wide = [a.astype(np.float64) if a.dtype == np.float32 else a for a in arguments]
        tokens, cache, logits = (np.asarray(y) for y in jax.jit(greedy_decode)(*wide))
    best = np.sort(logits[PROMPT - 1 :], axis=-1)
    margin = np.min(best[..., -1] - best[..., -2]) / np.max(np.abs(logits))
    assert margin > 0.03, margin
    return tokens, cache, logits


def decode() -> Model:
    batch, total, width, vocabulary = 2, 25, 48, 29
    return Model(
        "decode",
        "Greedy decoding of 20 tokens with a cache of keys and values, by a while loop",
        greedy_decode,
        [
            uniform((vocabulary, width), 1),
            uniform((width, 3 * width), 2, within=0.25),
            uniform((width, width), 3, within=0.25),
            uniform((width, vocabulary), 4442),
            one_of(list(range(3, 13)), (batch, PROMPT), 5),
            uniform((total, width), 6, within=2),
        ],
        ("tokens", "cache", "logits"),
        exact=("tokens",),
        truth=true_decode,
    )


def models() -> list[Model]:
    return [attention(), transformer(), recurrent(), decode()]
