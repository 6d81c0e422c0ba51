"""The conformance cases as a Bazel test: conformance_test.py PLUGIN [OPTION OF pjrt-conformance run]..."""

import os
import sys
from pathlib import Path

from pjrt_conformance.__main__ import main


def options_of_bazel() -> list[str]:
    """Where Bazel looks for reports, and the shard that it wants."""
    options = ["--no-config", "--report", "html"]
    if outputs := os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR"):
        options += ["--output", outputs]
    if xml := os.environ.get("XML_OUTPUT_FILE"):
        options += ["--junit", xml]
    if "TEST_TOTAL_SHARDS" in os.environ:
        options += ["--shard", "auto"]
        if status := os.environ.get("TEST_SHARD_STATUS_FILE"):
            Path(status).touch()
    return options


if __name__ == "__main__":
    plugin, *more = sys.argv[1:]
    # A test may only write to its own directory.
    if scratch := os.environ.get("TEST_TMPDIR"):
        os.environ.setdefault("PJRT_CONFORMANCE_CACHE", os.path.join(scratch, "cache"))
    sys.argv[1:] = ["run", "--plugin", os.path.abspath(plugin), *options_of_bazel(), *more]
    main()
