"""Cost of the recorder: a training in JAX on a plugin, whose table is another mode's from block to block.

recorder.py PLUGIN BLOCKS MODE=RECORDER...: each RECORDER is a copy of the library, which is loaded with the variables that MODES, a JSON
object in the environment, has for its mode; the mode `none` is the plugin's own table. Prints JSON lines: block, mode, and nanoseconds
of the dispatching thread and of the process.
"""

import ctypes
import json
import os
import sys
import time

import numpy as np

plugin, blocks, *modes = sys.argv[1:]
STEPS = 20


class Table(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p)]


def table_of(get):
    get.restype = ctypes.POINTER(Table)
    return get()


library = ctypes.CDLL(plugin)
tables = {"none": table_of(library.GetPjrtApi)}
for argument in modes:
    mode, path = argument.split("=")
    # The recorder reads its settings when it is loaded.
    os.environ.update(json.loads(os.environ["MODES"])[mode])
    recorder = ctypes.CDLL(path)
    recorder.dlsym.restype = ctypes.c_void_p
    recorder.dlsym.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    getter = recorder.dlsym(library._handle, b"GetPjrtApi")
    tables[mode] = table_of(ctypes.CFUNCTYPE(ctypes.POINTER(Table))(getter))

size = tables["none"].contents.struct_size
front = ctypes.create_string_buffer(size)


def use(mode):
    """The table of a mode, with the plugin's own extensions in all modes: JAX has followed those once."""
    ctypes.memmove(front, tables[mode], size)
    ctypes.cast(front, ctypes.POINTER(Table)).contents.extension_start = tables["none"].contents.extension_start


use("none")
ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAME = b"pjrt_c_api"
capsule = ctypes.pythonapi.PyCapsule_New(ctypes.addressof(front), NAME, None)

from jax._src import xla_bridge  # noqa: E402

xla_bridge.register_plugin("bench", c_api=capsule)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

jax.config.update("jax_platforms", "bench")

BATCH, WIDTH = 64, 64


def loss(parameters, x, y):
    for w, b in parameters[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = parameters[-1]
    return jnp.mean((x @ w + b - y) ** 2)


@jax.jit
def step(parameters, x, y):
    value, gradient = jax.value_and_grad(loss)(parameters, x, y)
    return value, jax.tree.map(lambda p, g: p - 0.01 * g, parameters, gradient)


keys = jax.random.split(jax.random.key(0), 3)
parameters = [(jax.random.normal(key, (WIDTH, WIDTH)) / 8, jnp.zeros(WIDTH)) for key in keys]
random = np.random.default_rng(0)
DATA = random.standard_normal((STEPS * 64, BATCH, WIDTH), dtype=np.float32)
at = 0


def block():
    """Steps with new data, each of whose losses is read."""
    global parameters, at
    for _ in range(STEPS):
        x = DATA[at % len(DATA)] + np.float32(at)
        at += 1
        value, parameters = step(parameters, x, x)
        float(value)
    jax.block_until_ready(parameters)


order = ["none", *(argument.split("=")[0] for argument in modes)]
for mode in order:
    use(mode)
    block()
for number in range(int(blocks)):
    for mode in order if number % 2 == 0 else order[::-1]:
        use(mode)
        thread, process = time.thread_time_ns(), time.process_time_ns()
        block()
        spent = {"thread": time.thread_time_ns() - thread, "process": time.process_time_ns() - process}
        print(json.dumps({"block": number, "mode": mode, **spent}), flush=True)
use("none")
