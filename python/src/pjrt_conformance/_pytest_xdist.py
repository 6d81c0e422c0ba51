"""With pytest-xdist: the process that hands out the items has the run, and its workers follow it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from ._pytest_options import ROOT, Options
from ._pytest_session import plan, print_verdict
from ._shared_run import SharedRun, StartedRun

_FOLDER = "pjrt_conformance_folder"


def shares_out(config: pytest.Config) -> bool:
    """Whether this process hands out items to others. Those begin with the same options, but for this one."""
    return config.getoption("dist", "no") != "no" and not config.getoption("collectonly")


def shared_run_of(config: pytest.Config) -> SharedRun | None:
    """The run that this worker of pytest-xdist follows; None in a process that is no worker.

    :raises pytest.UsageError: the worker is on another machine
    """
    given = getattr(config, "workerinput", {}).get(_FOLDER)
    if given is None:
        return None
    if not Path(given).is_dir():
        raise pytest.UsageError("pjrt-conformance: a worker of pytest-xdist on another machine cannot follow the run")
    return SharedRun(Path(given))


class Controller:
    """Hooks of the process that hands out the items. It collects none itself."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self._config = config
        self._options = options
        self._folder = tempfile.TemporaryDirectory(prefix="pjrt-conformance-")
        self._shared = SharedRun(Path(self._folder.name))
        self._run: StartedRun | None = None

    # Before the workers start.
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        self._shared.plan(plan(self._config, self._options))

    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_FOLDER] = self._folder.name

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Every worker has the same items; the first that is ready begins the run."""
        cases = [_case_of(node) for node in ids if node.startswith(f"{ROOT}::")]
        if self._run is None and len(cases) > 1:
            only = [case for case in cases if case]
            folder = self._config.invocation_params.dir
            self._run = self._shared.start(self._options.args, self._options.output, only, folder)

    # Before the workers are asked to end.
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        if self._run:
            self._run.close()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._run and self._run.verdict:
            print_verdict(terminalreporter, self._run.verdict, self._options)

    def pytest_unconfigure(self) -> None:
        self._folder.cleanup()


def _case_of(node: str) -> str | None:
    """The case of an item; None for the verdict."""
    _, suite, *name = node.split("::", 2)
    return f"{suite}:{name[0]}" if name else None
