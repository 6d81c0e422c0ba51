"""Collectors and items: suites, their cases, and the verdict of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

import pytest

from ._cases import PlannedCase
from ._process import Outcome
from ._pytest_options import ROOT


class ConformanceWarning(pytest.PytestWarning):
    """A case passed with a warning: a SHOULD is violated, or an expected failure is gone."""


class RunOfItems(Protocol):
    """The run that all items share."""

    def outcome_of(self, case_id: str) -> Outcome: ...

    def verdict(self) -> tuple[str, str]:
        """The verdict in one line, and what no case shows; empty if there is nothing."""


class _Failed(Exception):
    """A case failed; `repr_failure` shows the text alone."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.message = message
        self.text = text


class _FailureText:
    """The text of a failure as pytest shows it; the line of its short summary is from `reprcrash`."""

    def __init__(self, failed: _Failed) -> None:
        self.reprcrash = failed
        self._text = failed.text

    def toterminal(self, writer: Any) -> None:
        writer.line(self._text)

    def __str__(self) -> str:
        return self._text


class SuitesCollector(pytest.Collector):
    """All cases, below a name that is no file."""

    cases: Iterable[PlannedCase]
    run: RunOfItems

    @classmethod
    def make(cls, session: pytest.Session, cases: Iterable[PlannedCase], run: RunOfItems) -> SuitesCollector:
        collector: SuitesCollector = cls.from_parent(session, name=ROOT, nodeid=ROOT)
        collector.cases, collector.run = cases, run
        return collector

    def collect(self) -> Iterator[SuiteCollector]:
        for suite, cases in groupby(sorted(self.cases, key=lambda case: case.suite), key=lambda case: case.suite):
            collector: SuiteCollector = SuiteCollector.from_parent(self, name=suite)
            collector.cases, collector.run = list(cases), self.run
            yield collector


class SuiteCollector(pytest.Collector):
    """The cases of a suite."""

    cases: list[PlannedCase]
    run: RunOfItems

    def collect(self) -> Iterator[CaseItem]:
        for case in self.cases:
            # A newer pytest takes the name apart, brackets included, only in an id that it is given.
            node = f"{self.nodeid}::{case.name}"
            yield CaseItem.from_parent(self, name=case.name, nodeid=node, case=case, run=self.run)


class _ConformanceItem(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        error = excinfo.value
        if not isinstance(error, _Failed):
            return super().repr_failure(excinfo, style)
        return _FailureText(error)


class CaseItem(_ConformanceItem):
    """A case. It does not run here: its outcome comes from the run."""

    outcome: Outcome | None = None

    def __init__(self, *, case: PlannedCase, run: RunOfItems, **more: Any) -> None:
        super().__init__(**more)
        self.case = case
        self.run = run
        for name in markers_of(case):
            self.add_marker(name)
        self.user_properties += [("title", case.title), ("level", case.level)]
        self.user_properties += [("requirement", requirement) for requirement in case.covers]

    def setup(self) -> None:
        self.outcome = self.run.outcome_of(self.case.id)
        if self.outcome.outcome == "error":
            pytest.fail(self.outcome.text, pytrace=False)

    def runtest(self) -> None:
        outcome = self.outcome
        assert outcome is not None
        for name, text in (("stdout", outcome.stdout), ("stderr", outcome.stderr)):
            if text:
                self.add_report_section("call", f"{name} of the plugin", text)
        if outcome.outcome == "skipped":
            pytest.skip(outcome.message)
        if outcome.outcome == "expected-failure":
            # Does nothing with --runxfail.
            pytest.xfail(outcome.message)
        if outcome.outcome in ("failed", "expected-failure"):
            raise _Failed(outcome.message, outcome.text)
        if outcome.text:
            self.add_report_section("call", "conformance", outcome.text)
            # The section has the rest; -rP or a failure shows it.
            self.warn(ConformanceWarning(outcome.text.partition("\n")[0]))

    def reportinfo(self) -> tuple[Path, int, str]:
        return Path(self.case.file), self.case.line - 1, f"{self.case.id}: {self.case.title}"


class VerdictItem(_ConformanceItem):
    """The verdict of the run, the last item: what no case shows, such as a plugin that does not load, fails here."""

    def __init__(self, *, run: RunOfItems, **more: Any) -> None:
        super().__init__(**more)
        self.run = run

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, "verdict of the run"

    def runtest(self) -> None:
        line, problem = self.run.verdict()
        self.add_report_section("call", "verdict", line)
        if problem:
            raise _Failed(line, problem)


def markers_of(case: PlannedCase) -> list[str]:
    """Level, area and tags, as names of markers."""
    area = case.suite.split("/")[0]
    return [name.replace("-", "_") for name in dict.fromkeys([case.level, area, *case.tags])]
