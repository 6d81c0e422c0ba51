"""A running `pjrt-conformance run`, and the outcomes of its cases as they become final."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ._errors import error_of
from ._node import command, environment

_POLL_SECONDS = 0.05
# A run that is asked to end kills its workers and writes its reports within seconds.
_END_SECONDS = 60


@dataclass(frozen=True)
class Outcome:
    """How a case ended, judged with the options of the run: as in its JUnit file."""

    id: str
    outcome: str
    """`passed`, `failed`, `error` (of the harness or of a suite), `skipped` or `expected-failure`."""
    status: str | None
    """The exact status (docs/reports.md); None for what the run noticed outside its cases."""
    message: str
    """One line; empty for a case that passed."""
    text: str
    """Everything about a case that did not pass, with the command that reproduces it; warnings of one that passed."""
    stdout: str
    stderr: str
    seconds: float

    @classmethod
    def _of(cls, line: dict[str, Any]) -> Outcome:
        return cls(
            line["id"],
            line["outcome"],
            line.get("status"),
            line.get("message", ""),
            line.get("text", ""),
            line.get("stdout", ""),
            line.get("stderr", ""),
            line["durationMs"] / 1000,
        )


class Outcomes:
    """The outcomes of a run as they become final. Iterate over it, once.

    :ivar verdict: in one line; None before the end, and if the run had none
    """

    def __init__(self, file: Path) -> None:
        self.verdict: str | None = None
        self._pending = self._read(file)

    @property
    def exit_code(self) -> int | None:
        """Of the command; None while it runs."""
        raise NotImplementedError

    @property
    def console(self) -> str:
        """What the command has printed so far."""
        raise NotImplementedError

    def _ends_within(self, seconds: float) -> bool:
        raise NotImplementedError

    def close(self) -> None:
        """Ends a run that is still going on, with its reports."""

    def __iter__(self) -> Iterator[Outcome]:
        return self._pending

    def _read(self, path: Path) -> Iterator[Outcome]:
        """Follows the file until the run has ended and every line is read.

        :raises ConformanceError: the run ended without a verdict
        """
        with path.open("rb") as file:
            rest = b""
            ended = False
            while True:
                rest += file.read()
                *lines, rest = rest.split(b"\n")
                for line in map(json.loads, lines):
                    if line["type"] == "end":
                        self.verdict = line["verdict"]
                    else:
                        yield Outcome._of(line)
                if ended:
                    break
                ended = self._ends_within(_POLL_SECONDS)
        if self.verdict is None:
            assert self.exit_code is not None
            raise error_of(self.exit_code, self.console)


class Process(Outcomes):
    """Starts a run at once; it must be closed.

    :param args: options of the command `run`
    :param only: ids of the cases to run, of those that the options select
    :param outcomes: file for the outcomes; a temporary one by default
    """

    def __init__(
        self,
        args: Sequence[str],
        output: Path,
        *,
        only: Sequence[str] | None = None,
        outcomes: Path | None = None,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.output = output
        self._folder = tempfile.TemporaryDirectory(prefix="pjrt-conformance-")
        outcomes = outcomes or Path(self._folder.name, "outcomes.jsonl")
        outcomes.touch()
        self._console = Path(self._folder.name, "console.txt")
        own = ["--output", str(output), "--outcomes", str(outcomes), "--quiet"]
        if only is not None:
            cases = Path(self._folder.name, "cases.txt")
            cases.write_text("".join(f"{one}\n" for one in only), encoding="utf-8")
            own += ["--tests-from", str(cases)]
        with self._console.open("wb") as console:
            self._process = subprocess.Popen(
                [*command(), "run", *args, *own],
                cwd=cwd,
                env=environment(base=env),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )
        super().__init__(outcomes)

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    @property
    def console(self) -> str:
        return self._console.read_text(encoding="utf-8", errors="replace")

    def _ends_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        self.end()
        self._folder.cleanup()

    def end(self) -> None:
        """Ends a run that is still going on; its files stay."""
        if self._process.poll() is None:
            self._process.terminate()
            if not self._ends_within(_END_SECONDS):
                self._process.kill()
                self._process.wait()
