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


    for what, array in arrays(np).items():
        same(jax.device_put(array, state["device"]), array, f"a {what} array that went to the device and back")


def arrays(np):
    """Arrays as users have them: of every common type, and as views of others."""
    rows = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    types = "bool int8 int16 int32 uint8 uint16 uint32 float16 float32 complex64".split()
    return {
        **{name: np.array([0, 1, 2, 100]).astype(name) for name in types},
        "transposed": rows.T,
        "permuted": rows.transpose(1, 0, 2),
        "reversed": rows[::-1, :, ::-1],
        "padded": rows[:, :2, 1:3],
        "stepped": rows[:, :, ::2],
        "repeated": np.broadcast_to(np.float32(3), (2, 3)),
        "column-major": np.asfortranarray(rows),
        "empty": np.zeros((0, 3), np.float32),
        "unaligned": np.frombuffer(bytes(range(17)), np.uint8)[1:].view(np.float32),
    }


def same(actual, expected, what):
    import numpy

    if not numpy.array_equal(numpy.asarray(actual), expected):
        raise Wrong(f"{what}: {numpy.asarray(actual).tolist()} instead of {numpy.asarray(expected).tolist()}")


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
    for what, (function, arguments, expected) in programs(jax, np).items():
        same(jax.jit(function)(*arguments), expected, what)
    layouts(state)


def programs(jax, np):
    """First programs of users, all of which are exact."""
    lax, u32, s32 = jax.lax, np.uint32, np.int32
    large, small = np.array([2**32 - 1, 2**31, 2**31 + 7, 9], u32), np.array([7, 2, 2**31, 4], u32)
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    signed = np.array([-7, 7, -2, 5], s32)
    return {
        "quotients of unsigned numbers": (lax.div, (large, small), large // small),
        "remainders of unsigned numbers": (lax.rem, (large, small), large % small),
        "unsigned comparisons": (lax.lt, (large, small), large < small),
        "quotients of signed numbers": (lax.div, (signed, np.array([2, -2, 3, 4], s32)), np.array([-3, -3, 0, 1], s32)),
        "shifts": (lax.shift_right_logical, (large, np.array([1, 31, 4, 0], u32)), large >> np.array([1, 31, 4, 0], u32)),
        "sums of rows": (lambda x: x.sum(axis=1), (rows,), rows.sum(axis=1)),
        "largest of columns": (lambda x: x.max(axis=0), (rows,), rows.max(axis=0)),
        "a product of matrices": (lambda x: x @ x.T, (rows,), rows @ rows.T),
        "a transposed array": (lambda x: x.T + 1, (rows,), rows.T + 1),
        "a lookup": (lambda x, i: x[i], (rows, np.array([2, 0, 2], s32)), rows[[2, 0, 2]]),
        "a sort": (lambda x: jax.numpy.sort(x), (np.array([3, 1, 2, -5], s32),), np.array([-5, 1, 2, 3], s32)),
        "a choice": (lambda x: jax.numpy.where(x > 5, x, -x), (rows,), np.where(rows > 5, rows, -rows)),
        "a loop": (lambda x: lax.fori_loop(0, 3, lambda i, y: y * 2, x), (rows,), rows * 8),
        "a conversion": (lambda x: x.astype(jax.numpy.int32), (rows * 0.75,), (rows * 0.75).astype(s32)),
    }


def layouts(state):
    """Arrays in an order that the user chooses; a plugin that refuses them is another matter."""
    jax, np = state["jax"], state["np"]
    rows = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    try:
        from jax.sharding import SingleDeviceSharding

        try:
            from jax.experimental.layout import Format, Layout
        except ImportError:  # Their names before 0.7.
            from jax.experimental.layout import DeviceLocalLayout as Layout, Layout as Format
        reversed_ = Format(Layout((2, 1, 0)), SingleDeviceSharding(state["device"]))
        result = np.asarray(jax.jit(lambda x: x + 1, out_shardings=reversed_)(rows))
    except Exception as caught:
        tell(caught=f"{type(caught).__name__}: {caught}"[:300])
        return
    same(result, rows + 1, "an array whose layout the user chose")


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
