"""Conformance tests for PJRT plugins: `run()`, a command, and a pytest plugin."""

from ._cases import PlannedCase, collect
from ._errors import ConformanceError, InternalError, UsageError
from ._process import Outcome
from ._run import CaseResult, Finding, RootCause, RunResult, Verdict, run

__all__ = [
    "CaseResult",
    "ConformanceError",
    "Finding",
    "InternalError",
    "Outcome",
    "PlannedCase",
    "RootCause",
    "RunResult",
    "UsageError",
    "Verdict",
    "collect",
    "run",
]
