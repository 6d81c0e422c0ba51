"""A run whose outcomes several processes follow: those of pytest-xdist."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from threading import Thread

from ._cases import PlannedCase, read_cases
from ._errors import ConformanceError
from ._process import Outcomes, Process


@dataclass(frozen=True)
class SharedRun:
    """The directory that the process with the run and those that follow it have in common."""

    folder: Path

    def plan(self, dry_run: str) -> None:
        self._cases.write_text(dry_run, encoding="utf-8")
        self._outcomes.touch()

    def cases(self) -> list[PlannedCase]:
        return read_cases(self._cases.read_text(encoding="utf-8"))

    def outcomes(self) -> Outcomes:
        return _Followed(self._outcomes, self._end)

    def start(self, args: Sequence[str], output: Path, only: Sequence[str], cwd: str | PathLike[str]) -> StartedRun:
        return StartedRun(Process(args, output, only=only, outcomes=self._outcomes, cwd=cwd), self._end)

    @property
    def _cases(self) -> Path:
        return self.folder / "cases.json"

    @property
    def _outcomes(self) -> Path:
        return self.folder / "outcomes.jsonl"

    @property
    def _end(self) -> Path:
        """There once the run has ended: its exit code and what it printed."""
        return self.folder / "end.json"


class StartedRun:
    """The run, in the process that started it."""

    def __init__(self, process: Process, end: Path) -> None:
        self._process = process
        self._thread = Thread(target=self._follow, args=(end,), daemon=True)
        self._thread.start()

    def _follow(self, end: Path) -> None:
        try:
            for _ in self._process:
                pass
        except ConformanceError:
            # Those that follow the run raise it.
            pass
        unfinished = end.with_suffix(".unfinished")
        unfinished.write_text(json.dumps([self._process.exit_code, self._process.console]), encoding="utf-8")
        unfinished.rename(end)

    @property
    def verdict(self) -> str | None:
        return self._process.verdict

    def close(self) -> None:
        """Ends a run that is still going on, with its reports."""
        self._process.end()
        self._thread.join()
        self._process.close()


class _Followed(Outcomes):
    """The outcomes, in another process."""

    def __init__(self, file: Path, end: Path) -> None:
        self._end = end
        self._last: tuple[int | None, str] = (None, "")
        super().__init__(file)

    @property
    def exit_code(self) -> int | None:
        return self._last[0]

    @property
    def console(self) -> str:
        return self._last[1]

    def _ends_within(self, seconds: float) -> bool:
        if not self._end.exists():
            time.sleep(seconds)
            return False
        exit_code, console = json.loads(self._end.read_text(encoding="utf-8"))
        self._last = (exit_code, console)
        return True
