"""The pytest plugin: each case is an item. It does nothing unless a PJRT plugin is named (docs/python.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ._pytest_options import Options


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pjrt-conformance", "conformance of a PJRT plugin")
    group.addoption(
        "--pjrt-plugin",
        action="append",
        metavar="PLUGIN",
        help="run the conformance cases on this plugin: path of a shared library, known name or manifest; "
        "a second one is loaded into the same process (repeatable)",
    )
    group.addoption(
        "--pjrt-profile", metavar="NAME", help="cases to collect: smoke, standard, no-device, jax@0.10.2, …"
    )
    group.addoption(
        "--pjrt-args",
        action="append",
        metavar="OPTIONS",
        help="further options of `pjrt-conformance run`, after = and in quotes: "
        "--pjrt-args='--numerics relaxed --expectations foo.yaml' (repeatable)",
    )
    group.addoption("--pjrt-output", metavar="DIR", help="directory of the reports (reports/conformance)")
    parser.addini("pjrt_plugin", "as --pjrt-plugin; paths are relative to this file", type="linelist")
    parser.addini("pjrt_profile", "as --pjrt-profile")
    parser.addini("pjrt_args", "as --pjrt-args", type="args")
    parser.addini("pjrt_output", "as --pjrt-output")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if not (config.getoption("pjrt_plugin") or config.getini("pjrt_plugin")):
        return
    from ._pytest_options import Options
    from ._pytest_session import Conformance

    options: Options = Options.of(config)
    config.pluginmanager.register(Conformance(config, options), "pjrt-conformance-session")
