"""multi: programs for two devices, as replicas or as partitions of one program."""

from __future__ import annotations

from dtypes import tensor
from program import OLDEST, Program, program

V = tensor("f32", 4)
U = tensor("u32")
GROUP = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
UNINTERPRETED = "the interpreter is asked for one device only"
SUM = """({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %c = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %c : tensor<f32>
})"""
SPLIT = '"{devices=[2]<=[2]}"'


def two(
    name: str, about: str, kind: str, inputs: list[str], outputs: list[str], body: str, group: str = "multi", **more
) -> Program:
    """For two replicas or two partitions, with the module attributes that JAX writes."""
    replicas, partitions = (2, 1) if kind == "replicas" else (1, 2)
    return program(
        f"{group}/{name}",
        about,
        inputs,
        outputs,
        body,
        module_attributes=f"mhlo.num_partitions = {partitions} : i32, mhlo.num_replicas = {replicas} : i32",
        replicas=replicas,
        partitions=partitions,
        uninterpreted=UNINTERPRETED,
        oldest=OLDEST,
        **more,
    )


def replicated() -> list[Program]:
    gathered = tensor("f32", 8)
    return [
        two(
            "replicas_negate",
            "-x on each of two replicas; no communication",
            "replicas",
            [V],
            [V],
            f"%0 = stablehlo.negate %arg0 : {V}",
        ),
        two(
            "replicas_all_reduce",
            "The sum of both replicas' x, on both",
            "replicas",
            [V],
            [V],
            f'%0 = "stablehlo.all_reduce"(%arg0) <{{{GROUP}}}> {SUM} : ({V}) -> {V}',
        ),
        two(
            "replicas_all_gather",
            "Both replicas' x, one after the other, on both",
            "replicas",
            [V],
            [gathered],
            f'%0 = "stablehlo.all_gather"(%arg0) <{{all_gather_dim = 0 : i64, {GROUP}}}> : ({V}) -> {gathered}',
        ),
        two(
            "replicas_collective_permute",
            "The other replica's x",
            "replicas",
            [V],
            [V],
            '%0 = "stablehlo.collective_permute"(%arg0) '
            f"<{{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}> : ({V}) -> {V}",
        ),
        two(
            "replicas_permute_one_way",
            "The first replica's x on the second, zeros on the first",
            "replicas",
            [V],
            [V],
            '%0 = "stablehlo.collective_permute"(%arg0) '
            f"<{{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}}> : ({V}) -> {V}",
        ),
        two(
            "replicas_all_to_all",
            "Each replica's columns divided among the replicas, their parts one below the other",
            "replicas",
            [tensor("f32", 2, 4)],
            [tensor("f32", 4, 2)],
            '%0 = "stablehlo.all_to_all"(%arg0) '
            f"<{{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, {GROUP}}}> : "
            f"({tensor('f32', 2, 4)}) -> {tensor('f32', 4, 2)}",
        ),
        two(
            "replicas_reduce_scatter",
            "The sum of both replicas' x, half of it on each",
            "replicas",
            [V],
            [tensor("f32", 2)],
            f'%0 = "stablehlo.reduce_scatter"(%arg0) <{{scatter_dimension = 0 : i64, {GROUP}}}> {SUM} : '
            f"({V}) -> {tensor('f32', 2)}",
        ),
        two(
            "replicas_collective_broadcast",
            "The second replica's x, on both",
            "replicas",
            [V],
            [V],
            '%0 = "stablehlo.collective_broadcast"(%arg0) '
            f"<{{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}}> : ({V}) -> {V}",
        ),
        two(
            "replicas_replica_id", "The number of the replica", "replicas", [], [U], f"%0 = stablehlo.replica_id : {U}"
        ),
        chain(),
    ]


def chain() -> Program:
    """Each takes what the one before gives: several collectives that nothing orders may wait for each other for ever."""
    number, rows, columns, row = tensor("f32"), tensor("f32", 2, 4), tensor("f32", 4, 2), tensor("f32", 8)
    return two(
        "replicas",
        "x and a hundred times the number of the replica, and what one collective after the other makes of it",
        "replicas",
        [V],
        [V, V, row, columns, columns, V],
        f"""%id = stablehlo.replica_id : {U}
%number = stablehlo.convert %id : ({U}) -> {number}
%hundred = stablehlo.constant dense<100.0> : {number}
%offset = stablehlo.multiply %number, %hundred : {number}
%offsets = stablehlo.broadcast_in_dim %offset, dims = [] : ({number}) -> {V}
%own = stablehlo.add %arg0, %offsets : {V}
%sum = "stablehlo.all_reduce"(%own) <{{{GROUP}}}> {SUM} : ({V}) -> {V}
%both = stablehlo.add %sum, %own : {V}
%gathered = "stablehlo.all_gather"(%both) <{{all_gather_dim = 0 : i64, {GROUP}}}> : ({V}) -> {row}
%rows = stablehlo.reshape %gathered : ({row}) -> {rows}
%wide = stablehlo.broadcast_in_dim %own, dims = [1] : ({V}) -> {rows}
%matrix = stablehlo.add %rows, %wide : {rows}
%divided = "stablehlo.all_to_all"(%matrix)
  <{{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, {GROUP}}}> : ({rows}) -> {columns}
%exchanged = "stablehlo.collective_permute"(%divided)
  <{{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}> : ({columns}) -> {columns}
%flat = stablehlo.reshape %exchanged : ({columns}) -> {row}
%part = "stablehlo.reduce_scatter"(%flat) <{{scatter_dimension = 0 : i64, {GROUP}}}> {SUM} : ({row}) -> {V}""",
        results="%own, %sum, %gathered, %divided, %exchanged, %part",
        group="together",
    )


def manual(shard: str, whole: str, inner: str) -> str:
    """`inner` makes %y from %x, both of one partition's shape, inside the manually partitioned part."""
    return f"""%s = stablehlo.custom_call @Sharding(%arg0) {{mhlo.sharding = {SPLIT}}} : ({whole}) -> {whole}
%x = stablehlo.custom_call @SPMDFullToShardShape(%s) {{mhlo.sharding = "{{manual}}"}} : ({whole}) -> {shard}
{inner}
%m = stablehlo.custom_call @Sharding(%y) {{mhlo.sharding = "{{manual}}"}} : ({shard}) -> {shard}
%0 = stablehlo.custom_call @SPMDShardToFullShape(%m) {{mhlo.sharding = {SPLIT}}} : ({shard}) -> {whole}"""


def partitioned() -> list[Program]:
    whole = tensor("f32", 8)
    split = {0: f"mhlo.sharding = {SPLIT}"}
    channel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
    reduce = f'%y = "stablehlo.all_reduce"(%x) <{{{GROUP}, {channel}, use_global_device_ids}}> {SUM} : ({V}) -> {V}'
    number = f"""%p = stablehlo.partition_id : {U}
%f = stablehlo.convert %p : ({U}) -> tensor<f32>
%b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> {V}
%y = stablehlo.add %x, %b : {V}"""
    return [
        two(
            "partitions_negate",
            "-x, half of x on each partition",
            "partitions",
            [whole],
            [whole],
            f"%0 = stablehlo.negate %arg0 : {whole}",
            input_attributes=split,
            output_attributes=split,
        ),
        two(
            "partitions_sum",
            "The sum of x, half of which is on each partition: the compiler adds the communication",
            "partitions",
            [whole],
            [tensor("f32")],
            f"%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
            f"%0 = stablehlo.reduce(%arg0 init: %z) applies stablehlo.add across dimensions = [0] : "
            f"({whole}, tensor<f32>) -> tensor<f32>",
            input_attributes=split,
            output_attributes={0: 'mhlo.sharding = "{replicated}"'},
        ),
        two(
            "partitions_all_reduce",
            "Each half replaced by the sum of the halves, partitioned by hand",
            "partitions",
            [whole],
            [whole],
            manual(V, whole, reduce),
            input_attributes=split,
            output_attributes=split,
        ),
        two(
            "partitions_partition_id",
            "x plus the number of the partition that holds it, partitioned by hand",
            "partitions",
            [whole],
            [whole],
            manual(V, whole, number),
            input_attributes=split,
            output_attributes=split,
        ),
    ]


def programs() -> list[Program]:
    return [*replicated(), *partitioned()]
