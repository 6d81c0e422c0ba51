"""Makes smaller programs of a StableHLO program, with the jaxlib of this Python, for the command `reduce`.

    edit.py < jobs.json

The standard input is a list of jobs; the standard output is a list of as many answers. A job has

    kind      normal: calls are inlined, attributes of parameters and results left out
              cut: only the operations `keep` are left; `parameters` and `results` are values
              open: the operation `op` is replaced by what its region `region` does, once
              bypass: in a loop or branch `op` the operation at the place `inner` (in the order of the text) is left out: one of
              its operands, or a parameter of its block, stands for its result
              uncarry: the loop `op` no longer carries its value `value`, whose result no one takes: it stays the first one
              resize: dimensions of the size `from` get the size `to`
    program   its file: text, or a portable artifact
    output    the file that is written, as text
    artifact  optional: the same as a portable artifact of the StableHLO version `version`

Operations are those of `main`, by number. Values are its parameters, then the results of its operations in order. The
answer describes the program that was written, or has an `error`: no such program can be made.
"""

import json
import sys

from assemble import Refused, load, new_context, parse, serialize

ARTIFACT = b"ML\xefR"
# Attributes that are lists of sizes, or of limits that follow from sizes.
SIZED = ("limit_indices", "slice_sizes")


class Impossible(Exception):
    """There is no such program."""


class Editor:
    def __init__(self, ir, stablehlo):
        self.ir = ir
        self.stablehlo = stablehlo
        self.context = new_context(ir, stablehlo)

    def read(self, path):
        with open(path, "rb") as file:
            code = file.read()
        if not code.startswith(ARTIFACT):
            return parse(self.ir, self.context, code.decode("utf-8"))
        try:
            from jaxlib._jax import mlir

            read = mlir.deserialize_portable_artifact(code)
            return parse(self.ir, self.context, read) if isinstance(read, str) else read
        except (ImportError, AttributeError):
            return self.stablehlo.deserialize_portable_artifact(self.context, code)

    def run(self, module, passes):
        from jaxlib.mlir.passmanager import PassManager

        PassManager.parse(f"builtin.module({passes})").run(module.operation)

    def answer(self, job):
        module = self.read(job["program"])
        module = getattr(self, job["kind"])(module, job) or module
        if not module.operation.verify():
            raise Impossible("it is not valid")
        text = module.operation.get_asm(enable_debug_info=False)
        with open(job["output"], "w", encoding="utf-8") as file:
            file.write(text)
        if "artifact" in job:
            code = serialize(self.stablehlo, self.context, module, text, job["version"])
            with open(job["artifact"], "wb") as file:
                file.write(code)
        return Main(self.ir, module).description()

    def normal(self, module, job):
        inline_calls(self.ir, module)
        self.run(module, "symbol-dce")
        Main(self.ir, module).update()

    def cut(self, module, job):
        Main(self.ir, module).restrict(set(job["keep"]), job["parameters"], job["results"])
        self.run(module, "symbol-dce")

    def open(self, module, job):
        main = Main(self.ir, module)
        op = main.ops[job["op"]]
        if op.operation.name == "stablehlo.composite":
            inline(module, op.operation, op.attributes["decomposition"])
            inline_calls(self.ir, module)
            self.run(module, "symbol-dce")
            return
        replace(op.operation, op.regions[job["region"]].blocks[0])

    def bypass(self, module, job):
        main = Main(self.ir, module)
        op = inner_operations(main.ops[job["op"]].operation)[job["inner"]]
        if len(op.results) != 1 or not free_to_change(op):
            raise Impossible("what is around it depends on it")
        block = op.block
        candidates = [*op.operands, *block.arguments]
        found = next((value for value in candidates if value.type == op.results[0].type), None)
        if found is None:
            raise Impossible("nothing has its type")
        op.results[0].replace_all_uses_with(found)
        op.erase()
        sweep(main.block)

    def uncarry(self, module, job):
        ir = self.ir
        main = Main(ir, module)
        op = main.ops[job["op"]].operation
        at = job["value"]
        if len(op.results) < 2 or list(op.results[at].uses):
            raise Impossible("its result is taken")
        if at in steering(op)[0]:
            raise Impossible("the number of rounds depends on it")

        def others(values):
            return [value for i, value in enumerate(values) if i != at]

        for region in op.regions:
            block = region.blocks[0]
            block.arguments[at].replace_all_uses_with(op.operands[at])
            block.erase_argument(at)
        body = op.regions[1].blocks[0]
        end = list(body.operations)[-1].operation
        with ir.InsertionPoint(end):
            ir.Operation.create(end.name, operands=others(end.operands))
        end.erase()
        with ir.InsertionPoint(op):
            smaller = ir.Operation.create(
                op.name, results=[r.type for r in others(op.results)], operands=others(op.operands), regions=2
            )
        for old, new in zip(op.regions, smaller.regions):
            old.blocks[0].append_to(new)
        for old, new in zip(others(op.results), smaller.results):
            old.replace_all_uses_with(new)
        op.erase()
        sweep(main.block)

    def resize(self, module, job):
        ir = self.ir
        before, after = job["from"], job["to"]

        def resized(type_):
            tensor = cast(ir.RankedTensorType, type_)
            if tensor is None:
                return type_
            shape = [after if size == before else size for size in tensor.shape]
            return ir.RankedTensorType.get(shape, tensor.element_type, tensor.encoding)

        def change(op):
            op = op.operation
            for region in op.regions:
                for block in region.blocks:
                    for argument in block.arguments:
                        argument.set_type(resized(argument.type))
                    for inner in block.operations:
                        change(inner)
            for result in op.results:
                result.set_type(resized(result.type))
            for named in list(op.attributes):
                name = named if isinstance(named, str) else named.name
                value = op.attributes[name]
                dense = cast(ir.DenseElementsAttr, value) if name == "value" else None
                sizes = cast(ir.DenseI64ArrayAttr, value) if name in SIZED else None
                if dense is not None and resized(dense.type) != dense.type:
                    if not dense.is_splat:
                        raise Impossible("a constant has different elements")
                    op.attributes[name] = ir.DenseElementsAttr.get_splat(
                        ir.ShapedType(resized(dense.type)), dense.get_splat_value()
                    )
                elif sizes is not None:
                    op.attributes[name] = ir.DenseI64ArrayAttr.get(
                        [after if size == before else size for size in sizes]
                    )

        main = Main(ir, module)
        change(main.function)
        main.update()


class Main:
    """The function `main` of a module."""

    def __init__(self, ir, module):
        self.ir = ir
        functions = [op for op in module.body.operations if op.operation.name == "func.func"]
        named = [op for op in functions if op.attributes["sym_name"].value == "main"]
        if not named:
            raise Impossible("it has no function @main")
        self.function = named[0]
        if len(self.function.regions[0].blocks) != 1:
            raise Impossible("@main has more than one block")
        self.block = self.function.regions[0].blocks[0]
        *self.ops, self.end = list(self.block.operations)
        self.values = list(self.block.arguments)
        self.results = []
        for op in self.ops:
            first = len(self.values)
            self.values += list(op.results)
            self.results.append(list(range(first, len(self.values))))
        numbers = {value: i for i, value in enumerate(self.values)}

        def used(op):
            own = [numbers[v] for v in op.operands if v in numbers]
            for region in op.regions:
                for block in region.blocks:
                    for inner in block.operations:
                        own += used(inner.operation)
            return own

        self.operands = [used(op.operation) for op in self.ops]
        self.returned = [numbers[v] for v in self.end.operands]

    def update(self):
        """The type of the function, and no attributes of its parameters and results."""
        ir = self.ir
        returned = [v.type for v in list(self.block.operations)[-1].operands]
        type_ = ir.FunctionType.get([a.type for a in self.block.arguments], returned)
        self.function.attributes["function_type"] = ir.TypeAttr.get(type_)
        for name in ("arg_attrs", "res_attrs"):
            if name in self.function.attributes:
                del self.function.attributes[name]

    def restrict(self, keep, parameters, results):
        """Leaves the operations `keep`, with these values as parameters and results."""
        ir = self.ir
        count = len(self.block.arguments)
        now = dict(enumerate(self.values))
        for value in parameters:
            argument = self.block.add_argument(self.values[value].type, ir.Location.unknown())
            self.values[value].replace_all_uses_with(argument)
            now[value] = argument
        self.end.operation.erase()
        from jaxlib.mlir.dialects import func

        with ir.InsertionPoint(self.block):
            func.ReturnOp([now[value] for value in results])
        for i in reversed(range(len(self.ops))):
            if i not in keep:
                self.ops[i].operation.erase()
        for i in reversed(range(count)):
            self.block.erase_argument(i)
        self.update()

    def description(self):
        return {
            "parameters": len(self.block.arguments),
            "results": self.returned,
            "values": [self.described(v.type) for v in self.values],
            "ops": [
                {
                    "name": op.operation.name,
                    "operands": sorted(set(operands)),
                    "results": results,
                    "size": size(op.operation),
                    "regions": len(op.regions),
                }
                for op, operands, results in zip(self.ops, self.operands, self.results)
            ],
        }

    def described(self, type_):
        """The shape and the element type of an array of fixed size, in MLIR's spelling."""
        ir = self.ir
        tensor = cast(ir.RankedTensorType, type_)
        if tensor is None or not tensor.has_static_shape:
            return {"mlir": str(type_)}
        return {"mlir": str(type_), "shape": list(tensor.shape), "element": str(tensor.element_type)}


def cast(kind, thing):
    """A type or an attribute as one of this kind; None if it is of another."""
    try:
        return kind(thing)
    except (ValueError, TypeError, RuntimeError):
        return None


def inline_calls(ir, module):
    """MLIR's own pass lacks what it must know of the dialect func, in jaxlib."""

    def call_in(op):
        for region in op.regions:
            for block in region.blocks:
                for inner in block.operations:
                    found = inner.operation if inner.operation.name == "func.call" else call_in(inner.operation)
                    if found is not None:
                        return found
        return None

    main = Main(ir, module).function
    while (call := call_in(main.operation)) is not None:
        inline(module, call, call.attributes["callee"])


def inline(module, op, symbol):
    """Replaces an operation by the body of a function."""
    called = next(f for f in module.body.operations if f.operation.attributes["sym_name"].value == symbol.value)
    copy = called.operation.clone()
    if len(copy.regions[0].blocks) != 1:
        raise Impossible(f"@{symbol.value} has more than one block")
    replace(op, copy.regions[0].blocks[0])
    copy.erase()


def replace(op, block):
    """Replaces an operation by what a block does with its operands."""
    *inside, end = list(block.operations)
    for argument, operand in zip(block.arguments, op.operands):
        argument.replace_all_uses_with(operand)
    for inner in inside:
        inner.operation.move_before(op)
    for result, value in zip(op.results, list(end.operands)):
        result.replace_all_uses_with(value)
    op.erase()


def inner_operations(op):
    """Operations of its regions, at any depth, without what ends regions."""
    found = []
    for region in op.regions:
        for block in region.blocks:
            for inner in list(block.operations)[:-1]:
                found += [inner.operation, *inner_operations(inner.operation)]
    return found


def free_to_change(op):
    """Whether it is in loops and branches only, none of which would run for ever; bodies of reductions stay as they are."""
    parent = op.parent.operation
    while parent.name != "func.func":
        if parent.name not in ("stablehlo.while", "stablehlo.if", "stablehlo.case"):
            return False
        if parent.name == "stablehlo.while":
            body = [inner.operation for inner in parent.regions[1].blocks[0].operations]
            if op not in body or body.index(op) in steering(parent)[1]:
                return False
        op, parent = parent, parent.parent.operation
    return True


def steering(loop):
    """Values that it carries, and places of operations of its body, on which the number of its rounds depends."""
    condition, body = (region.blocks[0] for region in loop.regions)
    ops = list(body.operations)
    ends = list(ops[-1].operands)
    makers = {value: k for k, op in enumerate(ops) for value in op.results}
    carried = {value: i for i, value in enumerate(body.arguments)}
    values = {i for i, argument in enumerate(condition.arguments) if list(argument.uses)}
    places = set()
    todo = [ends[i] for i in values]
    while todo:
        value = todo.pop()
        if carried.get(value, -1) not in {-1, *values}:
            values.add(carried[value])
            todo.append(ends[carried[value]])
        if makers.get(value, -1) not in {-1, *places}:
            places.add(makers[value])
            for op in [ops[makers[value]].operation, *inner_operations(ops[makers[value]].operation)]:
                todo += op.operands
    return values, places


def sweep(block):
    """Leaves out operations whose results no one takes."""
    for op in reversed(list(block.operations)[:-1]):
        for region in op.regions:
            for inner in region.blocks:
                sweep(inner)
        if not any(list(result.uses) for result in op.results):
            op.operation.erase()


def size(op):
    """Operations that it consists of, without what ends regions."""
    return 1 + len(inner_operations(op))


def answer(editor, job):
    try:
        return editor.answer(job)
    except Impossible as error:
        return {"error": str(error)}
    except Refused as error:
        return {"error": error.args[1]}
    except Exception as error:  # what a pass or a check says of a program
        diagnostics = getattr(error, "error_diagnostics", None)
        return {"error": diagnostics[0].message if diagnostics else f"{type(error).__name__}: {error}"}


def main():
    try:
        editor = Editor(*load())
    except Refused as error:
        json.dump({"error": f"jaxlib cannot be used: {error.args[1]}"}, sys.stdout)
        sys.exit(3)
    silenced = editor.context.attach_diagnostic_handler(lambda _: True)
    try:
        with editor.context, editor.ir.Location.unknown():
            json.dump([answer(editor, job) for job in json.load(sys.stdin)], sys.stdout)
    finally:
        silenced.detach()


if __name__ == "__main__":
    main()
