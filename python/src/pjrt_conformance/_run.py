"""`run()`: a run of the suites as a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ._cases import words_of
from ._errors import InternalError
from ._process import Outcome, Process

DEFAULT_OUTPUT = Path("reports", "conformance")

_FAILURES = frozenset({"fail", "crash", "timeout", "flaky", "error"})


@dataclass(frozen=True)
class Verdict:
    exit_code: int
    name: str
    """`passes`, `fails`, `unusable`, … (docs/reports.md)."""
    line: str


@dataclass(frozen=True)
class Finding:
    """What is wrong in a case."""

    level: str
    message: str
    type: str
    call: str | None
    """The function of the C API that it is about."""
    detail: str


@dataclass(frozen=True)
class CaseResult:
    id: str
    status: str
    level: str
    title: str
    covers: tuple[str, ...]
    findings: tuple[Finding, ...]
    reason: str | None
    """Why it is unsupported, skipped or not run."""
    seconds: float
    root_cause: int | None
    """Number of its root cause."""
    known_deviation: str | None
    reproduce: str | None
    """The command that runs this case again; None for one that passed."""

    @classmethod
    def _of(cls, case: dict[str, Any]) -> CaseResult:
        findings = tuple(
            Finding(one["level"], one["message"], one["type"], one.get("call"), one.get("detail", ""))
            for one in case.get("findings", ())
        )
        deviation = case.get("knownDeviation")
        return cls(
            case["id"],
            case["status"],
            case["level"],
            case["title"],
            tuple(case["covers"]),
            findings,
            case.get("reason"),
            case.get("durationMs", 0) / 1000,
            case.get("rootCause"),
            deviation and deviation["reason"],
            case.get("reproduce"),
        )


@dataclass(frozen=True)
class RootCause:
    """A defect, with the cases that fail because of it and those that could not be tried."""

    number: int
    kind: str
    text: str
    effect: str
    failed: tuple[str, ...]
    blocked: tuple[str, ...]


@dataclass(frozen=True)
class RunResult:
    exit_code: int
    """Of the command. Differs from that of the verdict only with `--gate`."""
    verdict: Verdict
    cases: tuple[CaseResult, ...]
    root_causes: tuple[RootCause, ...]
    output: Path
    """Directory with events.jsonl, report.json, junit.xml, and the other reports that were requested."""
    report: Mapping[str, Any] = field(repr=False)
    """All of report.json (schemas/report.schema.json)."""

    @property
    def passes(self) -> bool:
        return self.exit_code == 0

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """Cases that failed, crashed, hung, are flaky, or ended in an internal error, expected or not."""
        return tuple(case for case in self.cases if case.status in _FAILURES)


def run(
    plugin: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    profile: str | None = None,
    args: Sequence[str] = (),
    output: str | PathLike[str] = DEFAULT_OUTPUT,
    cwd: str | PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    on_outcome: Callable[[Outcome], object] | None = None,
) -> RunResult:
    """Runs the suites on a plugin in processes of their own. Whatever the plugin does is in the result, even a crash.

    :param plugin: path, known name or manifest; of several, which are loaded into the same process, the first is tested
    :param profile: such as `smoke` or `jax@0.10.2`; all cases by default
    :param args: further options of the command `run`, a list of words
    :param output: directory of the reports, relative to `cwd`
    :param env: variables instead of those of this process
    :param on_outcome: called with the outcome of each case as soon as it is final
    :raises UsageError: wrong options, an unreadable file, an invalid suite, no case
    :raises InternalError: the harness or a suite is at fault, or the run proved nothing; it may have a `result`
    :raises ConformanceError: no report, because the plugin could not be fetched or a signal ended the run
    """
    plugins = [plugin] if isinstance(plugin, (str, PathLike)) else list(plugin)
    words = [word for one in plugins for word in ("--plugin", fspath(one))]
    if profile is not None:
        words += ["--profile", profile]
    folder = Path(cwd or ".").absolute() / output
    process = Process([*words, *words_of(args)], folder, cwd=cwd, env=env)
    try:
        for outcome in process:
            if on_outcome:
                on_outcome(outcome)
        exit_code = process.exit_code
        assert exit_code is not None
        result = _result(exit_code, folder)
        if exit_code == InternalError.EXIT_CODE:
            raise InternalError(process.verdict or process.console, exit_code, result)
        return result
    finally:
        process.close()


def _result(exit_code: int, folder: Path) -> RunResult:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    verdict = report["verdict"]
    causes = (
        RootCause(one["number"], one["kind"], one["text"], one["effect"], tuple(one["failed"]), tuple(one["blocked"]))
        for one in report["rootCauses"]
    )
    return RunResult(
        exit_code,
        Verdict(verdict["exitCode"], verdict["name"], verdict["line"]),
        tuple(CaseResult._of(case) for suite in report["suites"] for case in suite["cases"]),
        tuple(causes),
        folder,
        report,
    )
