"""Errors of requests that could not be carried out. What a plugin does wrong is never an exception; it is a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from ._run import RunResult


class ConformanceError(Exception):
    """The run gave no report: the plugin could not be fetched, or a signal ended the program.

    :ivar exit_code: that of the command (docs/reports.md), or the negative number of a signal
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class UsageError(ConformanceError):
    """Wrong options, an unreadable file, an invalid suite, or a selection without any case."""

    EXIT_CODE: ClassVar[int] = 2


class InternalError(ConformanceError):
    """An error of the harness or of a suite, or a run that proved nothing. It says nothing about the plugin.

    :ivar result: what the run found, if it wrote its reports
    """

    EXIT_CODE: ClassVar[int] = 5

    def __init__(self, message: str, exit_code: int, result: RunResult | None = None) -> None:
        super().__init__(message, exit_code)
        self.result = result


def error_of(exit_code: int, text: str) -> ConformanceError:
    """The error for a command that ended with this exit code and this output."""
    how = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
    message = text.strip() or f"pjrt-conformance ended with {how}"
    for kind in (UsageError, InternalError):
        if exit_code == kind.EXIT_CODE:
            return kind(message, exit_code)
    return ConformanceError(message, exit_code)
