"""Writes fixtures/programs and fixtures/artifacts from the catalogue; see docs/programs.md.

python tools/programs/generate.py            writes
python tools/programs/generate.py --check    regenerates into a temporary directory and compares every byte
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

# After the switch above, or the checkout fills with caches.
import bindings  # noqa: E402
from bad_artifacts import bad_artifacts  # noqa: E402
from catalogue import catalogue  # noqa: E402
from dtypes import is_complex  # noqa: E402
from program import LADDER, Program  # noqa: E402

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
OWNED = ("programs", "artifacts")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write(root: Path, path: str, data: bytes) -> dict:
    """Writes a file and returns how the index describes it."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return {"file": path, "sha256": sha256(data), "bytes": len(data)}


def offered(root: Path, program: Program, module) -> list[dict]:
    """Writes each distinct encoding once, under the first version that has it, and says which versions share it.

    Between most versions an artifact differs in nothing but the version number near its beginning; the harness
    writes the number it wants over the stored one.
    """
    encodings: dict[bytes, dict] = {}
    for version in LADDER[LADDER.index(program.oldest) :]:
        data = bindings.artifact(module, version)
        if data is None:
            continue
        unstamped = without_version(data, version)
        if unstamped not in encodings:
            encodings[unstamped] = {**write(root, f"artifacts/{version}/{program.name}.mlirbc", data), "versions": []}
        encodings[unstamped]["versions"].append(version)
    if not encodings:
        raise ValueError(f"{program.name}: no version of the ladder can express it")
    return list(encodings.values())


def without_version(data: bytes, version: str) -> bytes:
    """The artifact with the version in its producer string (after magic and format byte) taken out."""
    producer = f"StableHLO_v{version}\0".encode()
    if data[5 : 5 + len(producer)] != producer:
        raise ValueError(f"an artifact for {version} does not begin with the producer {producer!r}")
    return data[:5] + data[5 + len(producer) :]


def emit(root: Path, program: Program) -> dict:
    """Writes one program with its artifacts; returns its entry of the index."""
    path = f"programs/{program.name}.mlir"
    entry: dict = {"name": program.name, "about": program.about}
    if program.bad is not None:
        if bindings.acceptable(program.text):
            raise ValueError(f"{program.name}: said to be bad, but it is a good program")
        return {**entry, "bad": True, **write(root, path, program.text.encode())}
    try:
        module = bindings.parse(program.text)
    except Exception as error:
        raise ValueError(f"{program.name}: {error}\n{program.text}") from error
    text = f"// {program.about}\n{module.operation.get_asm()}"
    # From here on the committed text alone decides: locations inside the artifacts are lines of that file.
    module = bindings.parse(text)
    entry |= write(root, path, text.encode())
    entry["inputs"], entry["outputs"] = bindings.signature(module)
    if program.data is not None:
        entry["inputs"] = [{**given, "data": data} for given, data in zip(entry["inputs"], program.data, strict=True)]
    if program.replicas != 1 or program.partitions != 1:
        entry["replicas"], entry["partitions"] = program.replicas, program.partitions
    if program.members is not None:
        entry["members"] = program.members
    entry["interpreter"] = interpreted(program, module)
    entry["artifacts"] = offered(root, program, module)
    return entry


def interpreted(program: Program, module) -> str:
    """`ok`, or why the reference interpreter was not asked."""
    if program.uninterpreted is not None:
        return f"not run: {program.uninterpreted}"
    inputs, outputs = bindings.signature(module)
    if any(is_complex(given["dtype"]) for given in inputs + outputs):
        return "not run: the bindings cannot pass complex numbers"
    try:
        results = bindings.interpret(module, program.feed)
    except Exception as error:
        raise ValueError(f"{program.name}: the reference interpreter refuses it: {error}") from error
    if len(results) != len(outputs):
        raise ValueError(f"{program.name}: {len(outputs)} outputs, but the interpreter returned {len(results)}")
    return "ok"


def generate(root: Path) -> int:
    entries = [emit(root, program) for program in catalogue()]
    for name, why, data in bad_artifacts(root):
        entries.append({"name": name, "about": why, "bad": True, **write(root, f"artifacts/{name}.mlirbc", data)})
    entries.sort(key=lambda entry: entry["name"])
    index = {"formatVersion": 1, "tools": bindings.tool_versions(), "ladder": list(LADDER), "programs": entries}
    (root / "programs/index.json").write_text(compact(index))
    return len(entries)


def compact(index: dict) -> str:
    """JSON with one program a line, so that a change shows as the lines it touches."""
    head = {key: value for key, value in index.items() if key != "programs"}
    lines = ",\n".join("  " + json.dumps(entry) for entry in index["programs"])
    return json.dumps(head, indent=1)[:-2] + ',\n "programs": [\n' + lines + "\n ]\n}\n"


def files_below(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for owned in OWNED
        for path in sorted((root / owned).rglob("*"))
        if path.is_file()
    }


def differences(expected: Path, actual: Path) -> list[str]:
    new, old = files_below(expected), files_below(actual)
    return (
        [f"missing: {name}" for name in sorted(new.keys() - old.keys())]
        + [f"left over: {name}" for name in sorted(old.keys() - new.keys())]
        + [f"differs: {name}" for name in sorted(new.keys() & old.keys()) if new[name] != old[name]]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Generates the StableHLO programs and their portable artifacts.")
    parser.add_argument("--check", action="store_true", help="compare with what is committed instead of writing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        temporary = Path(directory)
        count = generate(temporary)
        if options.check:
            found = differences(temporary, FIXTURES)
            print("\n".join(found) or f"up to date: {count} programs")
            return 1 if found else 0
        for owned in OWNED:
            shutil.rmtree(FIXTURES / owned, ignore_errors=True)
            shutil.copytree(temporary / owned, FIXTURES / owned)
    print(f"{count} programs written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
