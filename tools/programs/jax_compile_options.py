"""Records the compile options of JAX: what a `jit` of a program for one device hands to a plugin.

    python -m venv .venv && .venv/bin/pip install jax==0.10.2 jaxlib==0.10.2
    .venv/bin/python tools/programs/jax_compile_options.py          # writes harness/knowledge/programs/jax-compile-options.json
    .venv/bin/python tools/programs/jax_compile_options.py --check  # compares instead

The debug options are those of XLA's flags at their defaults, several hundred fields, so they are kept as they are on the
wire. The other fields are written down by name in harness/knowledge/programs/compile-options.ts.
"""

import json
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
for variable in ("XLA_FLAGS", "LIBTPU_INIT_ARGS", "CUDA_HOME", "CUDA_PATH"):
    os.environ.pop(variable, None)

import jax  # noqa: E402
import jaxlib  # noqa: E402
from jax._src import compiler, lib  # noqa: E402

TARGET = pathlib.Path(__file__).parents[2] / "harness/knowledge/programs/jax-compile-options.json"
BUILD_OPTIONS, DEBUG_OPTIONS = 3, 3
# DebugOptions.xla_gpu_cuda_data_dir: the one field that depends on the machine, where a CUDA package is installed.
# DebugOptions fields that are maps are serialized in an order that changes from process to process.
VARINT, LENGTH = 0, 2
FIXED = {1: 8, 5: 4}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: number and bytes, the tag included, and the bytes of the value."""
    at = 0
    while at < len(data):
        start = at
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == VARINT:
            _, end = varint(data, at)
        elif wire == LENGTH:
            length, at = varint(data, at)
            end = at + length
        else:
            end = at + FIXED[wire]
        yield tag >> 3, data[start:end], data[at:end]
        at = end


def only(data, number):
    (value,) = [value for field, _, value in fields(data) if field == number]
    return value


def main():
    if lib.cuda_path is not None:
        sys.exit("a CUDA package is installed beside JAX, and its path would be recorded: use an environment without it")
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1, device_assignment=[[0]])
    debug = only(only(options.SerializeAsString(), BUILD_OPTIONS), DEBUG_OPTIONS)
    whole = [raw for _, raw, _ in sorted(fields(debug), key=lambda field: (field[0], field[1]))]
    text = json.dumps(
        {
            "about": "DebugOptions as jax.jit sends them; written by tools/programs/jax_compile_options.py, never by hand.",
            "jax": jax.__version__,
            "jaxlib": jaxlib.__version__,
            "source": "jax/_src/compiler.py, get_compile_options",
            "debugOptions": b"".join(whole).hex(),
        },
        indent=2,
    )
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() != text + "\n":
            sys.exit(f"{TARGET} is not what JAX {jax.__version__} sends")
        return
    TARGET.write_text(text + "\n")


main()
