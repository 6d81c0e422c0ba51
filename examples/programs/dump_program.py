"""Writes a JAX function as a program that pjrt-conformance runs, with its inputs and results (docs/own-programs.md).

    from dump_program import dump_program
    dump_program("programs", "softmax", jax.nn.softmax, x)

writes to the directory `programs`:

    softmax.mlir         the program as StableHLO text
    softmax.mlirbc       the same as a portable artifact, the form in which frameworks send programs to plugins
    softmax.inputs.npz   an array for each parameter: arg0, arg1, ...
    softmax.outputs.npz  an array for each result, as JAX's CPU backend computes it: out0, out1, ...

Needs JAX 0.6 or newer, and its CPU backend: if JAX_PLATFORMS is set, it must name cpu as well.
"""

import os
import re
import warnings

import jax
import numpy as np
from jaxlib.mlir.dialects import stablehlo

__all__ = ["dump_program"]

# Readers of StableHLO accept old artifacts for years, so the oldest version that has all operations reaches most plugins.
_VERSIONS = ("1.0.0", "1.4.0", "1.8.0", "1.13.0", stablehlo.get_current_version())

# Custom calls that every compiler of StableHLO knows.
_COMMON_CALLS = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"}


def dump_program(
    directory,
    name,
    fn,
    *args,
    artifact=True,
    text=True,
    version=None,
    static_argnums=(),
    donate_argnums=(),
    platform="cpu",
    **kwargs,
):
    """Writes `fn(*args, **kwargs)` as NAME.mlir, NAME.mlirbc, NAME.inputs.npz and NAME.outputs.npz.

    fn: a function that JAX can trace, jitted or not. Arguments and results may be pytrees: each leaf is a parameter or
        a result, in the order of jax.tree.leaves. Unused arguments are kept. Typed PRNG keys are passed as their data.
    artifact, text: which forms to write. A form that is not written is removed if it exists.
    version: StableHLO version of the artifact, X.Y.Z (default: an old one that has the operations of the program).
    static_argnums: positions of arguments that are part of the program, also if fn is jitted with them.
    donate_argnums: positions of arguments that the program may overwrite.
    platform: whose lowering rules JAX uses. Those of "cpu" make custom calls of linear algebra, for instance, which
        only CPU plugins have; "tpu" has other rules. Results always come from the CPU backend.

    Returns the number of parameters and of results.
    """
    if not (artifact or text):
        raise ValueError("artifact or text must be true")
    static = _positions(static_argnums, len(args))
    donated = _positions(donate_argnums, len(args))
    dynamic = [a for i, a in enumerate(args) if i not in static]
    leaves, tree = jax.tree.flatten((dynamic, kwargs))
    is_donated = [i in donated for i, a in enumerate(args) if i not in static for _ in jax.tree.leaves(a)]
    keys = [jax.random.key_impl(leaf) if _is_key(leaf) else None for leaf in leaves]

    def flat(*values):
        values = [v if k is None else jax.random.wrap_key_data(v, impl=k) for v, k in zip(values, keys)]
        given, named = jax.tree.unflatten(tree, values)
        rest = iter(given)
        results = fn(*[a if i in static else next(rest) for i, a in enumerate(args)], **named)
        return [jax.random.key_data(r) if _is_key(r) else r for r in jax.tree.leaves(results)]

    flat.__name__ = re.sub(r"\W", "_", name)
    cpu = jax.local_devices(backend="cpu")[0]
    with jax.default_device(cpu):
        # Python's numbers stay what they are: JAX gives them a weak type, which decides types of results.
        values = [_plain(leaf, key) for leaf, key in zip(leaves, keys)]
        lowered = jax.jit(flat, keep_unused=True, donate_argnums=[i for i, d in enumerate(is_donated) if d])
        lowered = lowered.trace(*values).lower(lowering_platforms=(platform,))
        inputs = [_host(value) for value in values]
        outputs = [_host(result) for result in jax.jit(flat, keep_unused=True)(*values)]

    program = lowered.as_text()
    _check(program, name, len(inputs), len(outputs))
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, name)
    serialized = _serialized(program, version)
    _write(path + ".mlir", _without_chlo(serialized).encode() if text else None)
    _write(path + ".mlirbc", serialized if artifact else None)
    _save(path + ".inputs.npz", "arg", inputs)
    _save(path + ".outputs.npz", "out", outputs)
    return len(inputs), len(outputs)


def _positions(numbers, count):
    numbers = (numbers,) if isinstance(numbers, int) else numbers
    return {n % count for n in numbers}


def _is_key(value):
    dtype = getattr(value, "dtype", None)
    return dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key)


def _plain(leaf, key):
    if key is not None:
        return np.asarray(jax.random.key_data(leaf))
    return np.asarray(leaf) if isinstance(leaf, jax.Array) and not leaf.weak_type else leaf


def _host(value):
    """What a program gets: in JAX's type, which without jax_enable_x64 has at most 32 bits. bf16 and others stay."""
    array = np.asarray(value if isinstance(value, jax.Array) else jax.numpy.asarray(value))
    return np.zeros(array.shape, bool) if array.dtype == jax.dtypes.float0 else np.array(array, order="C")


def _nameable(array):
    """NumPy files have no names for bf16, 8-bit floats and narrow integers: as bytes; the program says what they are."""
    return array if array.dtype.isbuiltin == 1 else array.view(np.dtype((np.void, array.dtype.itemsize)))


def _serialized(program, version):
    from jaxlib import _jax  # XLA's own serialization, which keeps Shardy's operations as JAX does

    versions = (version,) if version else _VERSIONS
    for attempt in versions:
        try:
            return _jax.mlir.serialize_portable_artifact(program, attempt, True)
        except Exception:
            if attempt == versions[-1]:
                raise


def _without_chlo(serialized):
    """The text of what JAX sends: serialization replaces the operations of CHLO, which plugins need not know."""
    from jax.interpreters import mlir
    from jaxlib import _jax

    with mlir.make_ir_context():
        return str(_jax.mlir.deserialize_portable_artifact(serialized))


def _check(program, name, inputs, outputs):
    """JAX adds parameters for the order of side effects and for some constants; nothing here could pass them."""
    header = re.search(r"func\.func public @main\((.*?)\) (?:-> |attributes|\{)", program, re.DOTALL)
    parameters = len(re.findall(r"%arg\d+:", header[1])) if header else 0
    if parameters != inputs:
        raise ValueError(f"{name} has {parameters} parameters, and {inputs} arguments were given: side effects?")
    calls = set(re.findall(r"custom_call @([\w.$-]+)", program)) - _COMMON_CALLS
    if calls:
        warnings.warn(f"{name} calls {', '.join(sorted(calls))}, which a plugin may not have", stacklevel=3)


def _write(path, content):
    if content is None:
        if os.path.exists(path):
            os.remove(path)
        return
    with open(path, "wb") as file:
        file.write(content)


def _save(path, prefix, arrays):
    if arrays:
        np.savez(path, **{f"{prefix}{i}": _nameable(array) for i, array in enumerate(arrays)})
    else:
        _write(path, None)
