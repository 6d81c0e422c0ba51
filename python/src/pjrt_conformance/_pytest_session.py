"""What the pytest plugin does once a PJRT plugin is named: it collects the cases, and runs the selected ones."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from ._cases import PlannedCase, dry_run, read_cases
from ._errors import ConformanceError, UsageError
from ._process import Outcome, Outcomes, Process
from ._pytest_items import CaseItem, SuitesCollector, VerdictItem, markers_of
from ._pytest_options import ROOT, Options
from ._shared_run import SharedRun

_NO_RUN = "the run ended without a verdict; the first case that says so shows why"


class Conformance:
    """Hooks of one session of pytest."""

    def __init__(self, config: pytest.Config, options: Options, shared: SharedRun | None) -> None:
        self._config = config
        self._options = options
        self._shared = shared
        self._run: SessionRun | None = None

    # Before those that deselect items.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        cases = self._shared.cases() if self._shared else read_cases(plan(self._config, self._options))
        for name in sorted({name for case in cases for name in markers_of(case)}):
            self._config.addinivalue_line("markers", f"{name}: cases of pjrt-conformance")
        self._run = SessionRun(session, self._options, self._shared)
        collector = SuitesCollector.make(session, _wanted(cases, self._options.wanted), self._run)
        items += list(session.genitems(collector))

    # Nothing may deselect the verdict: a run in which no case fails can still be bad.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self._run and any(isinstance(item, CaseItem) for item in session.items):
            node = f"{ROOT}::verdict"
            session.items.append(VerdictItem.from_parent(session, name="verdict", nodeid=node, run=self._run))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
        result = yield
        if call.when == "call" and isinstance(item, CaseItem) and item.outcome:
            # Waiting for the run is not the time of a case.
            result.get_result().duration = item.outcome.seconds

    def pytest_sessionfinish(self) -> None:
        if self._run:
            self._run.close()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._run and self._run.line:
            print_verdict(terminalreporter, self._run.line, self._options)


def print_verdict(terminalreporter: Any, line: str, options: Options) -> None:
    terminalreporter.section("pjrt-conformance")
    terminalreporter.line(line)
    terminalreporter.line(f"reports: {options.output}")


def plan(config: pytest.Config, options: Options) -> str:
    """The cases that the options select, as a dry run prints them.

    :raises pytest.UsageError: the options are wrong, or the file of the plugin does not exist
    """
    try:
        return dry_run(options.args, config.invocation_params.dir)
    except UsageError as error:
        message = str(error).removeprefix("error: ")
        raise pytest.UsageError(f"pjrt-conformance: {message}") from error


def _wanted(cases: list[PlannedCase], wanted: tuple[str, ...]) -> list[PlannedCase]:
    """:raises pytest.UsageError: an id of the command line names no case"""
    if not wanted:
        return cases
    ids = {case.id: f"{ROOT}::{case.suite}::{case.name}" for case in cases}
    for one in wanted:
        if not any(_is_below(node, one) for node in ids.values()):
            raise pytest.UsageError(f"{one}: no such case or suite; --collect-only lists them")
    return [case for case in cases if any(_is_below(ids[case.id], one) for one in wanted)]


def _is_below(node: str, other: str) -> bool:
    """Areas of suites (`buffers` of `buffers/copies`), suites, and cases of any parameters are ids too."""
    return node == other or node.startswith((f"{other}::", f"{other}/", f"{other}["))


class SessionRun:
    """The run of all selected items. It starts with the first of them, so collecting costs nothing."""

    def __init__(self, session: pytest.Session, options: Options, shared: SharedRun | None) -> None:
        self._session = session
        self._options = options
        self._shared = shared
        self._process: Outcomes | None = None
        self._outcomes: dict[str, Outcome] = {}
        self._error: ConformanceError | None = None

    @property
    def line(self) -> str | None:
        """The verdict; None without a run, or before its end."""
        return self._process.verdict if self._process else None

    def outcome_of(self, case_id: str) -> Outcome:
        """Waits for the outcome of a case."""
        if self._error:
            pytest.skip(_NO_RUN)
        self._read_until(case_id)
        if self._error:
            pytest.fail(f"pjrt-conformance: {self._error}", pytrace=False)
        outcome = self._outcomes.get(case_id)
        if outcome is None:
            pytest.fail(f"pjrt-conformance: the run has no case {case_id}", pytrace=False)
        return outcome

    def verdict(self) -> tuple[str, str]:
        """The verdict in one line, and what no case shows; empty if there is nothing."""
        if self._error:
            pytest.skip(_NO_RUN)
        self._read_until(None)
        if self._error or self._process is None:
            return str(self._error), str(self._error)
        planned = {item.case.id for item in self._session.items if isinstance(item, CaseItem)}
        bad = [one for one in self._outcomes.values() if one.outcome in ("failed", "error")]
        shown = any(one.id in planned for one in bad)
        problems = [one.text for one in bad if one.id not in planned]
        # A regression from the baseline of --gate is in what the command printed.
        if self._process.exit_code != 0 and not shown and not problems:
            problems = [self._process.console]
        return self._process.verdict or "", "\n\n".join(problems)

    def close(self) -> None:
        if self._process:
            self._process.close()

    def _read_until(self, case_id: str | None) -> None:
        """Reads outcomes until that of a case is known, or the run has ended."""
        if case_id in self._outcomes:
            return
        self._process = self._process or self._start()
        try:
            for outcome in self._process:
                self._outcomes[outcome.id] = outcome
                if outcome.id == case_id:
                    return
        except ConformanceError as error:
            self._error = error

    def _start(self) -> Outcomes:
        if self._shared:
            return self._shared.outcomes()
        ids = [item.case.id for item in self._session.items if isinstance(item, CaseItem)]
        folder = self._session.config.invocation_params.dir
        return Process(self._options.args, self._options.output, only=ids, cwd=folder)
