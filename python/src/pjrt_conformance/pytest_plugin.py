"""The pytest plugin: each case is an item. It does nothing unless a PJRT plugin is named (docs/python.md)."""

from __future__ import annotations

import pytest

from ._pytest_options import Options, joined


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


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Begins again if pytest took the value of an option for a path that says where its configuration file is."""
    given = config.invocation_params
    words = joined(given.args)
    return pytest.main(words, given.plugins) if words != list(given.args) else None


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if not (config.getoption("pjrt_plugin") or config.getini("pjrt_plugin")):
        return
    from ._pytest_session import Conformance
    from ._pytest_xdist import Controller, shared_run_of, shares_out

    options = Options.of(config)
    session = Controller(config, options) if shares_out(config) else Conformance(config, options, shared_run_of(config))
    config.pluginmanager.register(session, "pjrt-conformance-session")
