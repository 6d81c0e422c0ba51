"""The common workload of a JAX user, from import to exit, phase by phase.

Started with PJRT_NAMES_AND_LIBRARY_PATHS and JAX_PLATFORMS set, and the path of a file. To that file goes one JSON object a
line: the moment that begins, and what went wrong in it. The file is written as it happens, so that it shows how far a
process came that died.
"""

import gc
import json
import os
import sys

log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def tell(**what):
    os.write(log, (json.dumps(what) + "\n").encode())


class Wrong(Exception):
    """A step that succeeded with a wrong result."""


def equal(actual, expected, what):
    import numpy

    if not numpy.allclose(numpy.asarray(actual, dtype=numpy.float64), expected, rtol=1e-5, atol=1e-6):
        raise Wrong(f"{what}: {numpy.asarray(actual).tolist()} instead of {expected}")


def import_(state):
    import jax
    import numpy

    state.update(jax=jax, np=numpy)


def client(state):
    devices = state["jax"].devices()
    state["device"] = devices[0]
    tell(devices=[[d.platform, d.id, d.process_index, d.device_kind, str(d)] for d in devices])


def transfer(state):
    jax, np = state["jax"], state["np"]
    # Large enough to be still in progress when JAX asks whether it is ready.
    jax.device_put(np.zeros(1 << 22, dtype=np.float32), state["device"]).block_until_ready()
    x = jax.device_put(np.arange(4, dtype=np.float32), state["device"])
    x.block_until_ready()
    equal(x, [0, 1, 2, 3], "an array that went to the device and back")
    state["x"] = x


def compile(state):
    state["add"] = state["jax"].jit(lambda a, b: a + b)
    state["compiled"] = state["add"].lower(state["x"], state["x"]).compile()


def execute(state):
    jax, np = state["jax"], state["np"]
    equal(state["compiled"](state["x"], state["x"]), [0, 2, 4, 6], "x + x")
    # The first call takes the slow path, the second one the fast path.
    for _ in range(2):
        equal(state["add"](state["x"], state["x"]), [0, 2, 4, 6], "x + x")
    value, gradient = jax.jit(jax.value_and_grad(lambda x: -(2 * jax.numpy.sin(x)) + x))(3.0)
    equal([value, gradient], [2.717759983880265, 2.979984993200891], "a value and its gradient")


def error(state):
    """A program that cannot run is rejected with an exception, and the process continues."""
    jax = state["jax"]
    try:
        state["device"].memory_stats()
    except Exception as caught:
        tell(caught=f"{type(caught).__name__}: {caught}"[:300])
    try:
        jax.jit(no_such_target)(state["x"]).block_until_ready()
    except Exception as caught:
        tell(caught=f"{type(caught).__name__}: {caught}"[:300])
    else:
        raise Wrong("a call of a target that nobody has was no error")
    transfer(state)


def no_such_target(x):
    import jax

    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    try:
        from jax.ffi import ffi_call
    except ImportError:
        from jax.extend.ffi import ffi_call
    try:
        return ffi_call("no_such_target", shape)(x)
    except TypeError:
        return ffi_call("no_such_target", shape, x)


MOMENTS = {
    "import": import_,
    "client creation": client,
    "first transfer": transfer,
    "first compile": compile,
    "first execution": execute,
    "first error": error,
}

state = {}
for moment, step in MOMENTS.items():
    tell(begins=moment)
    try:
        step(state)
    except Wrong as wrong:
        tell(wrong=str(wrong))
        break
    except Exception as failure:
        tell(failed=f"{type(failure).__name__}: {failure}")
        break
else:
    tell(begins="exit")
    state.clear()
    gc.collect()
