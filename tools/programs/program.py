"""A program before it is written: its StableHLO text and what the generator should do with it."""

from __future__ import annotations

from dataclasses import dataclass, field

# The StableHLO versions that programs are offered at, oldest first.
LADDER = ("0.9.0", "1.0.0", "1.4.0", "1.8.0", "1.13.0", "1.17.0")
# For programs that the first suites are built of: offered from the oldest version that can be written at all.
OLDEST = LADDER[0]


@dataclass(frozen=True)
class Program:
    """One program of the catalogue. `name` is `<group>/<name>` and decides every file name."""

    name: str
    text: str
    about: str
    # The first step of the ladder to offer it at; steps that cannot express it are left out.
    oldest: str = "1.0.0"
    # Replicas and partitions the program is written for.
    replicas: int = 1
    partitions: int = 1
    # Why the reference interpreter is not asked; None means it is asked and must agree to run the program.
    uninterpreted: str | None = None
    # Small integers to feed the interpreter with, one a parameter; 1 where nothing is said.
    feed: dict[int, int] = field(default_factory=dict)
    # The programs that it consists of, whose parameters and results it has one after the other.
    members: list[str] | None = None
    # Why a compiler must refuse it; None for a good program.
    bad: str | None = None
    # The data of each parameter as suites write it, where a program needs other data than small integers.
    data: list[dict] | None = None


def symbol(name: str) -> str:
    """The module's symbol: the program's name with the slash made legal."""
    return name.replace("/", "_")


def program(
    name: str,
    about: str,
    inputs: list[str],
    outputs: list[str],
    body: str,
    *,
    results: str | None = None,
    functions: str = "",
    input_attributes: dict[int, str] | None = None,
    output_attributes: dict[int, str] | None = None,
    module_attributes: str = "",
    **more,
) -> Program:
    """A good program: `body` computes `results` (default `%0`) from `%arg0`, `%arg1`, ... of the given MLIR types."""
    input_attributes, output_attributes = input_attributes or {}, output_attributes or {}

    def attributed(attributes: dict[int, str], index: int) -> str:
        return f" {{{attributes[index]}}}" if index in attributes else ""

    parameters = ", ".join(f"%arg{i}: {t}{attributed(input_attributes, i)}" for i, t in enumerate(inputs))
    returned = ", ".join(f"{t}{attributed(output_attributes, i)}" for i, t in enumerate(outputs))
    if results is None:
        results = "%0" if outputs else ""
    ending = f"return {results} : {', '.join(outputs)}" if outputs else "return"
    attributes = f" attributes {{{module_attributes}}}" if module_attributes else ""
    text = (
        f"module @{symbol(name)}{attributes} {{\n"
        f"func.func public @main({parameters}) -> ({returned}) {{\n{body}\n{ending}\n}}\n{functions}\n}}\n"
    )
    return Program(name=name, text=text, about=about, **more)


def bad(name: str, why: str, text: str) -> Program:
    """A text that every compiler must refuse; kept exactly as given, since the bindings would refuse it too."""
    return Program(name=name, text=text, about=why, bad=why)
