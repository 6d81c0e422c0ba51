"""versions: small programs whose artifacts differ from version to version, or that old versions cannot express."""

from __future__ import annotations

from dtypes import tensor
from program import OLDEST, Program, program

from .misc import add_one


def programs() -> list[Program]:
    v = tensor("f32", 4)
    composite = f'%0 = stablehlo.composite "conformance.double" %arg0 {{decomposition = @double}} : ({v}) -> {v}'
    double = f"func.func private @double(%x: {v}) -> {v} {{\n%y = stablehlo.add %x, %x : {v}\nreturn %y : {v}\n}}"
    branch = f"""%0 = "stablehlo.if"(%arg0) ({{
  %a = stablehlo.add %arg1, %arg1 : {v}
  stablehlo.return %a : {v}
}}, {{
  stablehlo.return %arg1 : {v}
}}) : (tensor<i1>) -> {v}"""
    m = tensor("f32", 2, 3), tensor("f32", 3, 4), tensor("f32", 2, 4)
    product = "%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]"
    algorithm = (
        "algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
        "allow_imprecise_accumulation = false>"
    )
    accuracy = "#stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>"
    return [
        add_one("versions/add_one", "f32", 4),
        program("versions/branch", "2x where arg0, else x", [tensor("pred"), v], [v], branch, oldest=OLDEST),
        program(
            "versions/matmul",
            "A product of matrices",
            [m[0], m[1]],
            [m[2]],
            f"{product} : ({m[0]}, {m[1]}) -> {m[2]}",
            oldest=OLDEST,
        ),
        program(
            "versions/dot_algorithm",
            "A product that names its algorithm: expressible from 1.6",
            [m[0], m[1]],
            [m[2]],
            f"{product}, {algorithm} : ({m[0]}, {m[1]}) -> {m[2]}",
            oldest=OLDEST,
        ),
        program(
            "versions/composite",
            "2x by a composite: expressible from 0.19",
            [v],
            [v],
            composite,
            functions=double,
            oldest=OLDEST,
        ),
        program(
            "versions/tan",
            "tan as an op of its own: expressible from 1.4",
            [v],
            [v],
            f"%0 = stablehlo.tan %arg0 : {v}",
            oldest=OLDEST,
        ),
        program(
            "versions/result_accuracy",
            "exp within 2 units in the last place: expressible from 1.9",
            [v],
            [v],
            f'%0 = "stablehlo.exponential"(%arg0) <{{result_accuracy = {accuracy}}}> : ({v}) -> {v}',
            oldest=OLDEST,
        ),
    ]
