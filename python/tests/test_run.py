"""`run()` and `collect()`, with the reference plugin that the wheel carries."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import pjrt_conformance as conformance


def test_run_returns_the_report(tmp_path: Path) -> None:
    seen: list[conformance.Outcome] = []
    result = conformance.run("reference", args=["--tests", "load/*"], cwd=tmp_path, on_outcome=seen.append)
    assert result.passes
    assert result.verdict.name == "passes"
    assert result.failures == ()
    assert {one.id for one in seen} == {case.id for case in result.cases}
    assert result.output == tmp_path / "reports" / "conformance"
    assert (result.output / "events.jsonl").exists()
    assert result.report["plugins"][0]["name"] == "reference"


def test_a_plugin_that_does_not_load_is_a_result(tmp_path: Path) -> None:
    (tmp_path / "broken.so").write_text("no library")
    result = conformance.run("./broken.so", profile="smoke", cwd=tmp_path)
    assert (result.exit_code, result.passes, result.verdict.name) == (3, False, "unusable")


@pytest.mark.parametrize("args", [["--bogus"], ["--tests", "none:at-all"]])
def test_wrong_requests_are_raised(tmp_path: Path, args: list[str]) -> None:
    with pytest.raises(conformance.UsageError) as raised:
        conformance.run("reference", args=args, cwd=tmp_path)
    assert raised.value.exit_code == 2
    assert args[0] in str(raised.value) or "none:at-all" in str(raised.value)


@pytest.mark.parametrize("function", [conformance.run, conformance.collect])
def test_args_are_words(function: Callable[..., object]) -> None:
    plugin = ["reference"] if function is conformance.run else []
    with pytest.raises(TypeError, match=r"a list of words.*args=\['--option', 'x=1'\]"):
        function(*plugin, args="--option x=1")


def test_collect_loads_no_plugin(tmp_path: Path) -> None:
    cases = conformance.collect(["--tests", "load/table:version"], cwd=tmp_path)
    assert [(case.id, case.suite, case.name) for case in cases] == [("load/table:version", "load/table", "version")]
    assert Path(cases[0].file).exists()


@pytest.mark.parametrize("start", [["-m", "pjrt_conformance"], None])
def test_the_command_keeps_exit_codes_and_needs_no_node(tmp_path: Path, start: list[str] | None) -> None:
    program = Path(sys.executable).parent / "pjrt-conformance"
    words = [sys.executable, *start] if start else [str(program)]
    nowhere = {**os.environ, "PATH": "/nonexistent"}
    run = [*words, "run", "--plugin", "reference", "--tests", "load/table:version", "--output", str(tmp_path)]
    done = subprocess.run(run, env=nowhere, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wrong = subprocess.run([*words, "run", "--bogus"], env=nowhere, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
