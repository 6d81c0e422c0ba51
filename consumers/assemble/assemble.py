"""Serializes StableHLO text as a portable artifact, with the jaxlib of this Python.

    assemble.py VERSION MINIMUM < program.mlir > artifact.mlirbc

VERSION is the newest StableHLO version that the artifact may have (X.Y.Z), or "any": then it is 1.0.0, which every reader
accepts, or for operations that it lacks the version that frameworks send to a plugin that announces none, about twelve
weeks old. MINIMUM is the oldest version, or "any".

Exits with 0 and the artifact on the standard output, or with 3 and a JSON object there: what is wrong, with line and
column where the text is.
"""

import json
import re
import sys


class Refused(Exception):
    """What the text or this jaxlib lacks; the arguments are the kind and the message."""


def load():
    try:
        from jaxlib.mlir import ir
        from jaxlib.mlir.dialects import stablehlo
    except ImportError as error:
        raise Refused("jaxlib", str(error)) from error
    return ir, stablehlo


def new_context(ir, stablehlo):
    """A context with the dialects that JAX's programs have; older releases register some of them on their own."""
    context = ir.Context()
    try:
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext

        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
    except (ImportError, AttributeError):
        pass
    stablehlo.register_dialect(context)
    for name in ("chlo", "sdy", "mhlo"):
        try:
            dialects = __import__("jaxlib.mlir.dialects", fromlist=[name])
            getattr(dialects, name).register_dialect(context)
        except (ImportError, AttributeError):
            pass
    return context


def place(location):
    """Line and column of `loc("-":3:5)`."""
    found = re.search(r'"-":(\d+):(\d+)', str(location))
    return {"line": int(found[1]), "column": int(found[2])} if found else {}


def parse(ir, context, text):
    """The module. Diagnostics of a text that does not parse name the first place that is wrong."""
    try:
        return ir.Module.parse(text, context)
    except Exception as error:
        diagnostics = getattr(error, "error_diagnostics", None)
        if diagnostics:
            first = diagnostics[0]
            raise Refused("parse", first.message, place(first.location)) from error
        raise Refused("parse", str(error).strip()) from error


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def versions_to_try(stablehlo, wanted, minimum):
    own = stablehlo.get_current_version()
    if wanted != "any":
        versions = [min(wanted, own, key=numbers)]
    else:
        try:
            requirement = stablehlo.StablehloCompatibilityRequirement.WEEK_12
            versions = ["1.0.0", stablehlo.get_version_from_compatibility_requirement(requirement)]
        except AttributeError:
            versions = ["1.0.0", own]
    accepted = [v for v in versions if minimum == "any" or numbers(v) >= numbers(minimum)]
    if not accepted:
        raise Refused("version", f"this jaxlib writes StableHLO {own} at most, and the oldest accepted one is {minimum}")
    return accepted


def serialize(stablehlo, context, module, text, version):
    """XLA's serialization, which keeps Shardy and takes CHLO apart; in releases without it, StableHLO's own."""
    refusals = []
    silenced = context.attach_diagnostic_handler(lambda diagnostic: refusals.append(diagnostic.message) or True)
    try:
        try:
            from jaxlib._jax import mlir

            return mlir.serialize_portable_artifact(text, version, True)
        except (ImportError, AttributeError, TypeError):
            with context:
                return stablehlo.serialize_portable_artifact(module, version)
    except Exception as error:
        why = next(iter(refusals), str(error)).strip()
        raise Refused("version", f"it cannot be written as StableHLO {version}: {why}") from error
    finally:
        silenced.detach()


def serialized(stablehlo, context, module, text, versions):
    """At the first version that can express the program."""
    for version in versions:
        try:
            return serialize(stablehlo, context, module, text, version)
        except Refused:
            if version == versions[-1]:
                raise


def main():
    wanted, minimum = sys.argv[1:3]
    try:
        ir, stablehlo = load()
        context = new_context(ir, stablehlo)
        text = sys.stdin.buffer.read().decode("utf-8")
        module = parse(ir, context, text)
        artifact = serialized(stablehlo, context, module, text, versions_to_try(stablehlo, wanted, minimum))
    except Refused as error:
        kind, message, *where = error.args
        json.dump({"kind": kind, "message": message, **(where[0] if where else {})}, sys.stdout)
        sys.exit(3)
    sys.stdout.buffer.write(artifact)


if __name__ == "__main__":
    main()
