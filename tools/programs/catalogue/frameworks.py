"""sharded and layout: what JAX adds to programs whose arguments are on a mesh of devices or have layouts."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

V = tensor("f32", 2, 4)
PLUS_ONE = f"%one = stablehlo.constant dense<1.0> : {V}\n%0 = stablehlo.add %arg0, %one : {V}"
SHARDY = "the interpreter does not know Shardy"


def mesh(axes: dict[str, int]) -> str:
    """A mesh with the attribute that JAX writes beside it."""
    inside = ", ".join(f'"{name}"={size}' for name, size in axes.items())
    again = ", ".join(f'{{name = "{name}", size = {size} : i64}}' for name, size in axes.items())
    name = "@mesh" if axes else "@empty_mesh"
    return f"sdy.mesh {name} = <[{inside}]> {{stablehlo.mesh = {{axes = [{again}]}}}}"


def sharding(*dimensions: str, of: str = "@mesh") -> str:
    return f"sdy.sharding = #sdy.sharding<{of}, [{', '.join(dimensions)}]>"


def sharded(
    name: str, about: str, axes: dict[str, int], inputs: list[str], outputs: list[str], body: str, **more
) -> Program:
    partitions = max([1, *axes.values()])
    return program(
        f"sharded/{name}",
        about,
        inputs,
        outputs,
        body,
        functions=mesh(axes),
        module_attributes=f"mhlo.num_partitions = {partitions} : i32, mhlo.num_replicas = 1 : i32",
        partitions=partitions,
        uninterpreted=SHARDY,
        **more,
    )


def shardings() -> list[Program]:
    split, whole = sharding('{"x"}', "{}"), sharding()
    scalar = tensor("f32")
    constraint = (
        f"%one = stablehlo.constant dense<1.0> : {V}\n%s = stablehlo.add %arg0, %one : {V}\n"
        f'%c = sdy.sharding_constraint %s <@mesh, [{{}}, {{"x"}}]> : {V}\n%0 = stablehlo.add %c, %c : {V}'
    )
    total = (
        f"{PLUS_ONE}\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "%1 = stablehlo.reduce(%arg0 init: %z) applies stablehlo.add across dimensions = [0, 1] : "
        f"({V}, tensor<f32>) -> tensor<f32>"
    )
    return [
        sharded(
            "one_device",
            "2 (x + 1) on a mesh of one device, with a constraint in between",
            {"x": 1},
            [V],
            [V],
            constraint,
            input_attributes={0: split},
            output_attributes={0: split},
        ),
        sharded(
            "two_devices",
            "x + 1 and the sum of x, half of which is on each of two devices: the compiler adds the communication",
            {"x": 2},
            [V],
            [V, scalar],
            total,
            results="%0, %1",
            input_attributes={0: split},
            output_attributes={0: split, 1: whole},
        ),
    ]


def layouts() -> list[Program]:
    """JAX sends layout modes together with a mesh without axes."""
    nowhere = sharding("{}", "{}", of="@empty_mesh")
    mode = f'mhlo.layout_mode = "{{}}", {nowhere.replace("{", "{{").replace("}", "}}")}'.format
    return [
        program(
            f"layout/{name}",
            about,
            [V],
            [V],
            PLUS_ONE,
            functions=mesh({}),
            input_attributes={0: mode(given) if given else nowhere},
            output_attributes={0: mode(made) if made else nowhere},
            uninterpreted=SHARDY,
        )
        for name, about, given, made in (
            ("auto", "x + 1 in layouts that the compiler chooses", "auto", "auto"),
            ("output", "x + 1 with the result in column-major order", None, "{0,1}"),
            ("both", "x + 1 with both in column-major order", "{0,1}", "{0,1}"),
        )
    ]


def programs() -> list[Program]:
    return [*shardings(), *layouts()]
