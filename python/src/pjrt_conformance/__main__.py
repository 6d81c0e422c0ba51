"""The command: `pjrt-conformance`, and `python -m pjrt_conformance`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._node import command, environment


def main() -> NoReturn:
    """Becomes the Node.js program: signals, exit code and process id are its own."""
    as_module = os.path.basename(sys.argv[0]) == "__main__.py"
    words = [*command(), *sys.argv[1:]]
    os.execve(words[0], words, environment("python -m pjrt_conformance" if as_module else "pjrt-conformance"))


if __name__ == "__main__":
    main()
