"""The pytest plugin, with the reference plugin that the wheel carries. The environment needs the wheel."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

LOAD = ("--pjrt-plugin", "reference", "--pjrt-profile", "no-device", "pjrt-conformance::load")
SUITE = """
suite: mine
description: What can be wrong with a case.
cases:
  - id: fails
    description: A device that exists is not found.
    covers: [CLI-LKP-002]
    steps:
      - call: PJRT_Client_LookupDevice
        with: { client: $client, id: 0 }
        error: { must: any }
  - id: warns
    description: Another error than NOT_FOUND.
    covers: [CLI-LKP-002]
    steps:
      - call: PJRT_Client_LookupDevice
        with: { client: $client, id: -1 }
        error: { must: any, should: DATA_LOSS }
"""
MINE = ("--pjrt-plugin", "reference", "--pjrt-args=--suites mine.yaml", "pjrt-conformance::mine")


@pytest.fixture
def mine(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.path.joinpath("mine.yaml").write_text(SUITE)
    return pytester


def test_does_nothing_without_a_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    result = pytester.runpytest("-v")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*pjrt-conformance::*")


def test_each_case_is_an_item_and_the_verdict_is_the_last_one(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest(*LOAD, "-v")
    result.stdout.fnmatch_lines(
        ["*pjrt-conformance::load/table::version PASSED*", "*pjrt-conformance::verdict PASSED*"]
    )
    assert result.ret == 0
    assert pytester.path.joinpath("reports", "conformance", "junit.xml").exists()


def test_runs_beside_own_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    result = pytester.runpytest("--pjrt-plugin", "reference", "-k", "test_own or version")
    result.stdout.fnmatch_lines(["*reports: *"])
    assert result.ret == 0


def test_collecting_runs_nothing(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest(*LOAD, "--collect-only", "-q")
    result.stdout.fnmatch_lines(["pjrt-conformance::load/table::version"])
    assert not pytester.path.joinpath("reports").exists()


@pytest.mark.parametrize(
    ("args", "cases"),
    [
        (("-k", "version and not struct"), ["load/table:version"]),
        (("--deselect", "pjrt-conformance::load/table::version", "-k", "version or walk"), []),
        (("-m", "must and load and not should", "--strict-markers", "-k", "version"), ["load/table:version"]),
    ],
)
def test_only_the_selected_cases_run(pytester: pytest.Pytester, args: tuple[str, ...], cases: list[str]) -> None:
    pytester.runpytest(*LOAD, *args)
    report = pytester.path.joinpath("reports", "conformance", "report.json")
    ran = (
        [case["id"] for suite in json.loads(report.read_text())["suites"] for case in suite["cases"]]
        if report.exists()
        else []
    )
    assert ran == cases


def test_a_failure_shows_the_text_of_the_report(mine: pytest.Pytester) -> None:
    result = mine.runpytest(*MINE, "--junitxml", "pytest.xml")
    result.assert_outcomes(failed=1, passed=2, warnings=1)
    result.stdout.fnmatch_lines(
        [
            "PJRT_Client_LookupDevice succeeded, expected an error",
            "reproduce: pjrt-conformance run --plugin reference * --tests mine:fails",
            "*ConformanceWarning: WARNING: *",
            "fails: *",
            "FAILED pjrt-conformance::mine::fails - PJRT_Client_LookupDevice*",
        ]
    )
    cases = ElementTree.parse(Path(mine.path, "pytest.xml")).getroot().iter("testcase")
    failed = [case for case in cases if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["fails"]
    properties = {(one.get("name"), one.get("value")) for one in failed[0].iter("property")}
    assert {("level", "must"), ("requirement", "CLI-LKP-002")} <= properties


def test_failed_cases_run_again(mine: pytest.Pytester) -> None:
    mine.runpytest(*MINE).assert_outcomes(failed=1, passed=2, warnings=1)
    result = mine.runpytest(*MINE, "--lf")
    result.assert_outcomes(failed=1, passed=1, deselected=1)


def test_an_expected_failure_is_an_xfail(mine: pytest.Pytester) -> None:
    expectations = "expectations:\n  - cases: ['mine:fails']\n    expect: [fail]\n    reason: not yet done\n"
    mine.path.joinpath("expected.yaml").write_text(expectations)
    args = ("--pjrt-args=--expectations expected.yaml",)
    result = mine.runpytest(*MINE, *args, "-rx")
    result.assert_outcomes(xfailed=1, passed=2, warnings=1)
    result.stdout.fnmatch_lines(["XFAIL *fails - *EXPECTED_FAIL: not yet done*"])
    mine.runpytest(*MINE, *args, "--runxfail").assert_outcomes(failed=1, passed=2, warnings=1)


def test_a_plugin_that_does_not_load_fails_the_verdict(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("broken.so").write_text("no library")
    result = pytester.runpytest("--pjrt-plugin", "broken.so", "pjrt-conformance::load/table")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED pjrt-conformance::verdict*"])


def test_a_plugin_that_does_not_exist_is_a_usage_error(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--pjrt-plugin", "./none.so", "pjrt-conformance::load/table")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: pjrt-conformance: --plugin ./none.so: no such file: *"])
    assert len(result.stderr.str().splitlines()) == 1


def test_a_plugin_of_the_configuration_file_is_beside_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\npjrt_plugin = build/none.so\n")
    monkeypatch.chdir(pytester.mkdir("below"))
    result = pytester.runpytest("pjrt-conformance")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*no such file: {pytester.path}/build/none.so*"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--pjrt-args=--bogus", "pjrt-conformance"), "*unknown option '--bogus'*"),
        (("pjrt-conformance::load/none",), "*no such case or suite*"),
    ],
)
def test_wrong_options_are_usage_errors(pytester: pytest.Pytester, args: tuple[str, ...], message: str) -> None:
    result = pytester.runpytest("--pjrt-plugin", "reference", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_the_workers_of_xdist_share_one_run(mine: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    mine.makepyfile(test_own="def test_own(): pass")
    result = mine.runpytest("-n", "2", *MINE, "test_own.py", "-v")
    result.assert_outcomes(failed=1, passed=3, warnings=1)
    workers = ["*[[]gw?[]] * FAILED pjrt-conformance::mine::fails*", "*[[]gw?[]] * PASSED pjrt-conformance::verdict*"]
    for line in workers:
        result.stdout.fnmatch_lines([line])
    result.stdout.fnmatch_lines(
        ["reproduce: pjrt-conformance run --plugin reference * --tests mine:fails", "fails: *", "reports: *"]
    )
    # A second run would have moved the first aside.
    assert not list(mine.path.joinpath("reports", "conformance").glob("previous*"))


@pytest.mark.parametrize("args", [("--pjrt-args=--bogus",), ("--pjrt-plugin", "./none.so")])
def test_wrong_options_are_usage_errors_before_the_workers_of_xdist_start(
    pytester: pytest.Pytester, args: tuple[str, ...]
) -> None:
    pytest.importorskip("xdist")
    result = pytester.runpytest("--pjrt-plugin", "reference", *args, "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: pjrt-conformance: *"])


def test_a_run_without_a_verdict_is_one_error_with_xdist(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.path.joinpath("out").write_text("no directory")
    result = pytester.runpytest(*LOAD, "-n", "2", "--pjrt-output=out")
    outcomes = result.parseoutcomes()
    assert 1 <= outcomes["errors"] <= 2, outcomes
    assert "passed" not in outcomes


@pytest.mark.parametrize("form", ["{0}={1}", "{0} {1}"])
@pytest.mark.parametrize("option", ["--pjrt-plugin", "--pjrt-output"])
def test_the_form_of_an_option_does_not_change_the_configuration_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, option: str, form: str
) -> None:
    project = pytester.mkdir("project")
    values = {"--pjrt-plugin": "../../plugin.yaml", "--pjrt-output": "../../out"}
    manifest = Path(pytester.path.parent, "plugin.yaml")
    manifest.write_text("name: absent\n")
    Path(pytester.path.parent, "out").mkdir(exist_ok=True)
    keys = {"--pjrt-plugin": "reference", "--pjrt-output": "reports/conformance"}
    ini = "".join(f"{name[2:].replace('-', '_')} = {value}\n" for name, value in keys.items() if name != option)
    project.joinpath("pytest.ini").write_text(f"[pytest]\npjrt_profile = no-device\n{ini}")
    monkeypatch.chdir(project)
    words = form.format(option, values[option]).split(" ")
    result = pytester.runpytest(*words, "pjrt-conformance", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["pjrt-conformance::load/table::version"])
    result.stdout.no_fnmatch_line("pjrt-conformance::buffers*")


def test_options_of_the_configuration_file(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\npjrt_plugin = reference\npjrt_profile = no-device\npjrt_args = --exclude load/*\npjrt_output = out\n"
    )
    result = pytester.runpytest("pjrt-conformance", "-k", "chain and walk")
    result.assert_outcomes(passed=2, deselected=result.parseoutcomes().get("deselected", 0))
    assert pytester.path.joinpath("out", "events.jsonl").exists()
