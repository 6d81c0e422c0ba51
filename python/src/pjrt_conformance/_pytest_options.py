"""Options of the pytest plugin: of the command line, or of the configuration file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ._run import DEFAULT_OUTPUT

ROOT = "pjrt-conformance"
"""Begins the ids of all items, and as an argument of pytest means all of them."""


TAKE_VALUE = ("--pjrt-plugin", "--pjrt-profile", "--pjrt-args", "--pjrt-output")


@dataclass(frozen=True)
class Options:
    args: tuple[str, ...]
    """Options of `pjrt-conformance run`, except the cases."""
    output: Path
    wanted: tuple[str, ...]
    """Ids of items or of their collectors that the command line names; all if empty."""

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        profile = config.getoption("pjrt_profile") or config.getini("pjrt_profile")
        words = [word for plugin in _plugins(config) for word in ("--plugin", plugin)]
        if profile:
            words += ["--profile", profile]
        given = config.getoption("pjrt_args")
        words += shlex.split(" ".join(given)) if given else config.getini("pjrt_args")
        output = config.getoption("pjrt_output") or config.getini("pjrt_output") or DEFAULT_OUTPUT
        return cls(tuple(words), config.rootpath / output, _take_wanted(config))


def _plugins(config: pytest.Config) -> list[str]:
    given: list[str] | None = config.getoption("pjrt_plugin")
    if given:
        return given
    folder = (config.inipath or config.rootpath / "pytest.ini").parent
    named = config.getini("pjrt_plugin")
    return [str(folder / name) if (folder / name).exists() or _is_path(name) else name for name in named]


def _is_path(name: str) -> bool:
    """Whether a plugin is named by a path, without a name of its own (`old=./foo.so`)."""
    return "/" in name and "=" not in name


def _take_wanted(config: pytest.Config) -> tuple[str, ...]:
    """Takes the ids of conformance items from the arguments of pytest, which would look for files of that name."""
    wanted = tuple(arg for arg in config.args if arg == ROOT or arg.startswith(f"{ROOT}::"))
    config.args[:] = [arg for arg in config.args if arg not in wanted]
    return tuple(arg for arg in wanted if arg != ROOT)


def joined(words: Sequence[str]) -> list[str]:
    """Arguments of pytest with `--pjrt-plugin PATH` as `--pjrt-plugin=PATH`.

    Pytest looks for its configuration file beside paths among its arguments, before it knows the options of plugins.
    """
    result: list[str] = []
    for word in words:
        if result and result[-1] in TAKE_VALUE:
            result[-1] += f"={word}"
        else:
            result.append(word)
    return result
