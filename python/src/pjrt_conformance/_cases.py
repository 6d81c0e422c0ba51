"""The cases that a run would run."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from ._errors import error_of
from ._node import command, environment


@dataclass(frozen=True)
class PlannedCase:
    """A case of the suites."""

    id: str
    """Stable: `suite/file:name[parameters]`."""
    suite: str
    name: str
    """With its parameters."""
    title: str
    level: str
    """`must`, `should` or `opt`."""
    covers: tuple[str, ...]
    """Ids of requirements."""
    tags: tuple[str, ...]
    file: str
    line: int

    @classmethod
    def _of(cls, case: dict[str, Any]) -> PlannedCase:
        suite, _, name = case["id"].partition(":")
        covers, tags = tuple(case["covers"]), tuple(case["tags"])
        return cls(case["id"], suite, name, case["title"], case["level"], covers, tags, case["file"], case["line"])


def collect(args: Sequence[str] = (), *, cwd: str | PathLike[str] | None = None) -> list[PlannedCase]:
    """The cases that `pjrt-conformance run` with these options would run. Loads no plugin.

    :raises UsageError: the options are wrong, name a plugin whose file does not exist, or select no case
    """
    return read_cases(dry_run(args, cwd))


def dry_run(args: Sequence[str], cwd: str | PathLike[str] | None) -> str:
    """As `collect()`, in JSON."""
    words = [*command(), "run", *words_of(args), "--dry-run", "json"]
    done = subprocess.run(words, cwd=cwd, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise error_of(done.returncode, done.stderr or done.stdout)
    return done.stdout


def read_cases(text: str) -> list[PlannedCase]:
    """The cases of a dry run."""
    return [PlannedCase._of(case) for case in json.loads(text)]


def words_of(args: Sequence[str]) -> list[str]:
    """Options of a command, word by word.

    :raises TypeError: they are one string, whose words would be its characters
    """
    if isinstance(args, str):
        words = shlex.split(args)
        raise TypeError(f"args is a list of words, not one string: args={words}")
    return list(args)
