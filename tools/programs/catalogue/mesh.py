"""mesh: programs for four and eight devices, in replicas, partitions, both, and grids of partitions."""

from __future__ import annotations

from dtypes import tensor
from program import Program, program

from .frameworks import sharding
from .multi import SUM, UNINTERPRETED, V

F32 = tensor("f32")
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
GLOBAL = f"{CHANNEL}, use_global_device_ids"
PAIRS = "source_target_pairs = dense<{}> : tensor<{}x2xi64>"


def spread(
    name: str, about: str, replicas: int, partitions: int, inputs: list[str], outputs: list[str], body: str, **more
) -> Program:
    return program(
        f"mesh/{name}",
        about,
        inputs,
        outputs,
        body,
        module_attributes=f"mhlo.num_partitions = {partitions} : i32, mhlo.num_replicas = {replicas} : i32",
        replicas=replicas,
        partitions=partitions,
        uninterpreted=UNINTERPRETED,
        **more,
    )


def groups(ids: list[list[int]]) -> str:
    return f"replica_groups = dense<{ids}> : tensor<{len(ids)}x{len(ids[0])}xi64>"


def by_hand(name: str, about: str, replicas: int, partitions: int, size: int, made: int, inner: str) -> Program:
    """`inner` makes %y from %x, vectors of these sizes on each partition of each replica."""
    split = f'mhlo.sharding = "{{devices=[{partitions}]<=[{partitions}]}}"'
    x, y = tensor("f32", size), tensor("f32", made)
    whole_x, whole_y = tensor("f32", size * partitions), tensor("f32", made * partitions)
    return spread(
        name,
        about,
        replicas,
        partitions,
        [whole_x],
        [whole_y],
        f"""%s = stablehlo.custom_call @Sharding(%arg0) {{{split}}} : ({whole_x}) -> {whole_x}
%x = stablehlo.custom_call @SPMDFullToShardShape(%s) {{mhlo.sharding = "{{manual}}"}} : ({whole_x}) -> {x}
{inner} : ({x}) -> {y}
%m = stablehlo.custom_call @Sharding(%y) {{mhlo.sharding = "{{manual}}"}} : ({y}) -> {y}
%0 = stablehlo.custom_call @SPMDShardToFullShape(%m) {{{split}}} : ({y}) -> {whole_y}""",
        input_attributes={0: split},
        output_attributes={0: split},
    )


def collective(op: str, attributes: str, *, sums: bool = False) -> str:
    return f'%y = "stablehlo.{op}"(%x) <{{{attributes}}}>{f" {SUM}" if sums else ""}'


# The groups of each mode, of two replicas of two partitions: replicas that hold the same partition, the partitions of
# each replica, both replicas with all their partitions, and devices by their numbers, here across both.
MODES = {
    "cross_replica": (groups([[1, 0]]), ""),
    "cross_partition": (groups([[1, 0]]), f", {CHANNEL}"),
    "cross_replica_and_partition": (groups([[0], [1]]), f", {CHANNEL}"),
    "flattened_ids": (groups([[3, 0], [1, 2]]), f", {GLOBAL}"),
}


def collectives() -> list[Program]:
    programs = []

    def add(op: str, mode: str, size: int, made: int, text: str) -> None:
        about = f"{op} in the mode {mode}, on two replicas of two partitions"
        programs.append(by_hand(f"{op}_{mode}", about, 2, 2, size, made, text))

    for mode in ("cross_replica", "cross_replica_and_partition", "flattened_ids"):
        ids, more = MODES[mode]
        # A group of all: in which order they stand there does not matter to a sum.
        everyone = groups([[0, 1]]) if mode == "cross_replica_and_partition" else ids
        add("all_reduce", mode, 4, 4, collective("all_reduce", everyone + more, sums=True))
        add("all_gather", mode, 4, 8, collective("all_gather", f"all_gather_dim = 0 : i64, {ids}{more}"))
        scatter = f"scatter_dimension = 0 : i64, {ids}{more}"
        add("reduce_scatter", mode, 4, 2, collective("reduce_scatter", scatter, sums=True))
    for mode in ("cross_replica", "cross_partition"):
        ids, more = MODES[mode]
        exchange = f"split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, {ids}{more}"
        add("all_to_all", mode, 4, 4, collective("all_to_all", exchange))
        pairs = PAIRS.format("[[0, 1], [1, 0]]", 2) + more
        add("collective_permute", mode, 4, 4, collective("collective_permute", pairs))
        add("collective_broadcast", mode, 4, 4, collective("collective_broadcast", ids + more))
    return programs


def grids() -> list[Program]:
    """What the compiler splits over a grid of two by two, as both partitioners take it, and by hand."""
    x, w, y, part = tensor("f32", 4, 4), tensor("f32", 4, 2), tensor("f32", 4, 2), tensor("f32", 2, 2)
    mesh = 'sdy.mesh @mesh = <["x"=2, "y"=2]>'
    product = f"%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : ({x}, {w}) -> {y}"
    plus = f"%one = stablehlo.constant dense<1.0> : {x}\n%0 = stablehlo.add %arg0, %one : {x}"
    total = (
        "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        f"%sum = stablehlo.reduce(%arg0 init: %z) applies stablehlo.add across dimensions = [0, 1] : ({x}, {F32})"
        f" -> {F32}"
    )

    def gspmd(text: str) -> str:
        return f'mhlo.sharding = "{{{text}}}"'

    return [
        spread(
            "product_shardy",
            "x times w on a grid: x is split both ways, w along the sum, the result along its rows",
            1,
            4,
            [x, w],
            [y],
            product,
            functions=mesh,
            input_attributes={0: sharding('{"x"}', '{"y"}'), 1: sharding('{"y"}', "{}")},
            output_attributes={0: sharding('{"x"}', "{}")},
        ),
        spread(
            "product_gspmd",
            "The same with the shardings of the older partitioner",
            1,
            4,
            [x, w],
            [y],
            product,
            input_attributes={
                0: gspmd("devices=[2,2]<=[4]"),
                1: gspmd("devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate"),
            },
            output_attributes={0: gspmd("devices=[2,1,2]<=[4] last_tile_dim_replicate")},
        ),
        spread(
            "turned_shardy",
            "x + 1 on a grid whose axes change places between argument and result",
            1,
            4,
            [x],
            [x],
            plus,
            functions=mesh,
            input_attributes={0: sharding('{"x"}', '{"y"}')},
            output_attributes={0: sharding('{"y"}', '{"x"}')},
        ),
        spread(
            "turned_gspmd",
            "The same with the shardings of the older partitioner",
            1,
            4,
            [x],
            [x],
            plus,
            input_attributes={0: gspmd("devices=[2,2]<=[4]")},
            output_attributes={0: gspmd("devices=[2,2]<=[2,2]T(1,0)")},
        ),
        spread(
            "two_meshes",
            "x + 1 and the sum of x, on the second of two meshes, whose devices are in an order of their own",
            1,
            4,
            [x],
            [x, F32],
            f"{plus}\n{total}",
            results="%0, %sum",
            functions='sdy.mesh @spare = <["a"=1, "b"=4]>\nsdy.mesh @mixed = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>',
            input_attributes={0: sharding('{"x"}', '{"y"}', of="@mixed")},
            output_attributes={0: sharding('{"x"}', '{"y"}', of="@mixed"), 1: sharding(of="@mixed")},
        ),
        spread(
            "by_hand_shardy",
            "The sum of x over one axis of a grid, gathered along the other: what shard_map becomes",
            1,
            4,
            [x],
            [y],
            f"""%0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>]
  out_shardings=[<@mesh, [{{}}, {{}}]>] manual_axes={{"x", "y"}} (%x: {part}) {{
  %s = "stablehlo.all_reduce"(%x) <{{{GLOBAL}, {groups([[0, 2], [1, 3]])}}}> {SUM} : ({part}) -> {part}
  %g = "stablehlo.all_gather"(%s) <{{all_gather_dim = 0 : i64, {GLOBAL}, {groups([[0, 1], [2, 3]])}}}> : ({part}) -> {y}
  sdy.return %g : {y}
}} : ({x}) -> {y}""",
            functions=mesh,
            input_attributes={0: sharding('{"x"}', '{"y"}')},
            output_attributes={0: sharding("{}", "{}")},
        ),
    ]


def four() -> list[Program]:
    """For four devices."""
    v = tensor("f32", 2)
    return [
        spread(
            "subgroups_of_four",
            "The sum of x over every other one of four replicas",
            4,
            1,
            [v],
            [v],
            f'%0 = "stablehlo.all_reduce"(%arg0) <{{{groups([[0, 2], [1, 3]])}}}> {SUM} : ({v}) -> {v}',
        ),
    ]


def eight() -> list[Program]:
    """For eight devices."""
    x, v = tensor("f32", 4, 4), tensor("f32", 2)
    return [
        spread(
            "subgroups_of_eight",
            "The sum of x over every other one of eight replicas",
            8,
            1,
            [v],
            [v],
            f'%0 = "stablehlo.all_reduce"(%arg0) <{{{groups([[0, 2, 4, 6], [1, 3, 5, 7]])}}}> {SUM} : ({v}) -> {v}',
        ),
        by_hand(
            "two_by_four",
            "The sum of x over pairs of devices, of two replicas of four partitions, that have neither in common",
            2,
            4,
            2,
            2,
            collective("all_reduce", groups([[0, 7], [1, 6], [2, 5], [3, 4]]) + f", {GLOBAL}", sums=True),
        ),
        spread(
            "turned_cube",
            "x + 1 on a mesh of three axes, two of which change places between argument and result",
            1,
            8,
            [x],
            [x],
            f"%one = stablehlo.constant dense<1.0> : {x}\n%0 = stablehlo.add %arg0, %one : {x}",
            functions='sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>',
            input_attributes={0: sharding('{"x", "y"}', '{"z"}')},
            output_attributes={0: sharding('{"z"}', '{"y", "x"}')},
        ),
    ]


def programs() -> list[Program]:
    return [*collectives(), *grids(), *four(), *eight()]
