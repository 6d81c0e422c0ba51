"""Programs that do what many others do, each on arguments of its own, so that a slow compiler runs once."""

from __future__ import annotations

import re
from importlib import import_module

from program import LADDER, Program

# Programs of other modules, in the order in which the cases of suites/numerics/together.yaml run them.
MEMBERS: dict[str, str] = {
    "halves": """
        binary/add_f16 binary/subtract_f16 binary/multiply_f16 binary/maximum_f16 binary/minimum_f16
        binary/divide_f16 binary/atan2_f16 dot/matmul_17x131x13_bf16 dot/matmul_16x32x8_bf16_f32
        convert/bf16_to_f16 convert/f32_to_bf16 bitcast/f16_to_u16 bitcast/u16_to_bf16 reduce/max_rows_f16
        identity/f16 shape/transpose_bf16 shape/reshape_bf16 shape/broadcast_in_dim_bf16 shape/concatenate_bf16
        shape/slice_bf16 shape/reverse_bf16 reduce/add_rows_bf16 reduce/max_rows_f16 compare/eq_f16 select/bf16
        select/bf16 sized/vector_129 typed/conv_f16 unary/ceil_f16 unary/exponential_f16
    """,
    "functions": """
        binary/maximum_f32 binary/maximum_f32 binary/add_rank4_f32 binary/atan2_f32 convert/f32_to_pred
        compare/eq_pred compare/eq_f32 compare/lt_total_order_f32 compare/is_finite_f32 logical/and_pred
        logical/not_pred select/f32_scalar_predicate clamp/f32_scalar_bounds unary/sine_f32
    """,
    "complex": """
        complex/log_c64 complex/sqrt_c64 complex/abs_c64 complex/divide_c64 complex/abs_c64
        complex/exponential_c64 complex/add_c64 complex/negate_c64 typed/reduce_add_c64 typed/reduce_mul_c64
    """,
    "flow": """
        misc/f_f32 misc/f_grad_f32 misc/value_and_grad_f32 misc/matmul_chain control/if control/if_nested
        control/case control/case control/call control/call_nested control/while_five control/while_dynamic
        control/while_nested convert/s32_to_f32 convert/f32_to_s32 convert/f32_to_u32 convert/f32_to_s32
        convert/u32_to_f32 convert/f32_to_u32 rarer/get_dimension_size flow/exchanged flow/never
        flow/if_captured flow/calls target/barrier target/composite target/composite_nested
        target/composite_twice
    """,
    "sums": """
        dot/matmul_2x3x4_f32 dot/matmul_16x32x8_f32 dot/matmul_17x131x13_f32 dot/matmul_128x128x128_f32
        dot/batched_f32 dot/transposed_f32 dot/empty_contraction_f32 conv/valid_f32 conv/uneven_f32
        conv/one_dimension_f32 conv/dilated_f32 conv/depthwise_f32 reduce/add_rows_f32 reduce/max_rows_f32
        reduce/add_long_rows_f32 reduce/mul_rows_f32 reduce/add_all_f32 reduce/add_1000_f32
        reduce/add_columns_f32 reduce/add_empty_f32 reduce/and_rows_pred reduce/argmax_f32 reduce/jax_argmax_f32
        reduce/cumulative_sum_f32 reduce/window_add_f32 reduce/window_add_uneven_f32 variant/conv_negative
        variant/conv_lhs_dilated variant/conv_reversed variant/conv_feature_groups variant/conv_batch_groups
        variant/window_base_dilated variant/window_two variant/gather_rows_u32 variant/gather_batching
        variant/gather_sorted variant/scatter_rows_u32 variant/scatter_windows variant/scatter_sorted_unique
        variant/select_and_scatter variant/select_and_scatter_overlapping variant/dot_batch_middle
        variant/transpose_rank5_inner variant/reverse_0 variant/pad_rank3 variant/pad_from_empty
        variant/sort_vector variant/sort_total variant/compare_lt_total
    """,
    "moves": """
        index/dynamic_slice_f32_s32 index/dynamic_slice_f32_s32 index/dynamic_update_slice_f32_s32
        index/gather_rows_f32_s32 index/gather_rows_f32_s32 index/jax_take index/gather_elements_f32
        index/scatter_add_f32 index/scatter_replace_f32 index/jax_update identity/pred shape/transpose_64x33
        shape/reshape_rank0_to_rank3 shape/broadcast_expand shape/broadcast_scalar shape/concatenate_three
        shape/concatenate_empty shape/slice_rank3 shape/slice_empty shape/pad_edges shape/iota_plus_f32
        shape/sort_f32 shape/sort_pairs_s32_f32 shape/jax_sort view/reversed view/transposed view/sliced
        view/joined view/broadcast view/products view/nested typed/dot_pred typed/reduce_max_pred
        typed/sort_pred shape/transpose_1031x67
    """,
    "sizes": """
        sized/matrix_127x3 sized/matrix_2049x3 sized/dot_127x129x129_f32 sized/dot_129x2x3x2_f32
        misc/huge_add
    """,
    "integers": """
        control/while_data convert/pred_to_s32 integer/maximum_u32 compare/lt_u32 integer/divide_u32
        integer/remainder_u32 integer/shift_right_arithmetic_s32 rng/threefry2x32_u32 rng/threefry2x32_u32
        rng/jax_random_bits index/scatter_add_s32 index/scatter_max_s32 integer/divide_s32 integer/remainder_s32
        integer/or_s32 integer/not_s32 integer/shift_left_u32 integer/popcnt_s32 integer/count_leading_zeros_s32
        integer/popcnt_s32 shape/iota_s32_dim0_rank1 shape/iota_s32_dim0_rank1_10007 reduce/add_rows_s32
        reduce/max_many_rows_s32 reduce/cumulative_sum_s32 reduce/cumulative_max_s32
        reduce/window_add_padded_s32 flow/fibonacci flow/triangle flow/stepping flow/case_many flow/case_single
        compare/lt_u32 clamp/s32 sized/dot_129x127x128_s32 sized/sort_127 typed/reduce_add_u32 typed/clamp_u32
        typed/sort_u32 typed/scatter_add_u32 typed/window_add_u32 variant/scatter_rows_add
        variant/scatter_histogram variant/iota_s32 integer/shift_right_logical_s32
    """,
    "narrow": """
        convert/s8_to_s32 convert/s32_to_s8 convert/s8_to_pred bitcast/f32_to_u8 bitcast/u8_to_f32
        integer/shift_left_u8 integer/add_s8 integer/add_u16 integer/divide_s8 integer/remainder_s8
        integer/shift_left_s8 integer/shift_right_arithmetic_s8 integer/shift_right_logical_u8
        integer/shift_left_u16 integer/count_leading_zeros_u8 typed/reduce_and_s8
    """,
    "wide": """
        convert/s64_to_s32 convert/u64_to_f32 convert/s64_to_f32 convert/u32_to_u64 convert/f64_to_s64
        bitcast/u64_to_u32 integer/add_s64 index/dynamic_slice_s32_s64 integer/divide_s64 integer/remainder_s64
        integer/divide_u64 integer/remainder_u64 integer/abs_s64 integer/count_leading_zeros_u64 compare/lt_s64
        compare/lt_u64 typed/reduce_max_f64
    """,
    "dynamic": """
        dynamic/broadcast dynamic/broadcast_expanding dynamic/reshape dynamic/iota dynamic/pad dynamic/slice
        dynamic/gather dynamic/convolution dynamic/size dynamic/computed
    """,
    "mathematics": """
        fft/fft_13_c64 fft/ifft_12_c64 fft/rfft_8_c64 fft/irfft_8_c64 linalg/cholesky_lower_c64
        linalg/jax_cholesky_f32 linalg/cholesky_lower_f32 linalg/solve_left_lower_plain_f32
        linalg/solve_left_upper_transpose_f32 linalg/solve_left_lower_transpose_unit_f32
        linalg/solve_left_lower_adjoint_c64 linalg/jax_solve_triangular_f32 linalg/batch_norm_training_last_f32
        linalg/batch_norm_inference_last_f32 linalg/batch_norm_grad_last_f32
    """,
    "rarer": """
        rarer/tuple rarer/tuple_nested rarer/map rarer/map_to_pred rarer/after_all precision/e4m3_f16
        precision/e5m10_f16 precision/e5m10_f32
    """,
    "old": """
        rarer/broadcast rarer/dot_vectors rarer/dot_matrix_vector rarer/index_select_rows
        rarer/index_select_batched
    """,
    "algorithms": """
        typed/dot_s16_s32 complex/multiply_c128 algorithm/f64_f64_f64 algorithm/tf32_tf32_f32
    """,
    "random": """
        generator/three_fry_u32_0 generator/tally_three_fry_u8 generator/follow_three_fry
        generator/follow_three_fry rng/uniform_f32 rng/normal_f32 rng/uniform_s32 rng/three_fry_u32
        generator/three_fry_u32_7
    """,
}

# A program's text: parameters, results, the body up to what it returns, and further functions.
FORM = re.compile(
    r"module @\w+(?: attributes \{[^}]*\})? \{\s*func\.func public @main\((.*?)\) -> \((.*?)\) \{\n"
    r"(.*?)\n\s*return (.*?) : [^\n]*\n\s*\}\n(.*?)\n?\}\s*",
    re.DOTALL,
)
MODULES = (
    "algorithms contractions control conversions dynamism elementwise generators indexing integers jax_lowered mathematics"
    " misc rarer reductions regions shapes signatures sized targets typed variants views"
).split()


def apart(text: str, place: int, functions: list[str]) -> str:
    """The text with values and functions renamed, so that they are not those of other members."""
    text = re.sub(r"%(\w+)", rf"%m{place}_\1", text)
    return re.sub(rf"@({'|'.join(functions)})\b", rf"@m{place}_\1", text) if functions else text


def together(name: str, members: list[Program]) -> Program:
    parameters, types, bodies, results, functions = [], [], [], [], []
    feed: dict[int, int] = {}
    for place, member in enumerate(members):
        taken, given, body, returned, more = FORM.fullmatch(member.text).groups()
        given = re.sub(r" \{jax[^}]*\}", "", given)
        own = re.findall(r"func\.func private @(\w+)", more)
        feed |= {len(parameters) + at: value for at, value in member.feed.items()}
        parameters += [f"%m{place}_arg{at}: {kind}" for at, kind in enumerate(re.findall(r"%arg\d+: (tensor<.*?>+)(?=, %|$)", taken))]
        types.append(given)
        bodies.append(apart(body, place, own))
        results.append(apart(returned, place, own))
        functions.append(apart(more, place, own))
    text = (
        f"module @together_{name} {{\nfunc.func public @main({', '.join(parameters)}) -> ({', '.join(types)}) {{\n"
        f"{chr(10).join(bodies)}\nreturn {', '.join(results)} : {', '.join(types)}\n}}\n{chr(10).join(functions)}\n}}\n"
    )
    return Program(
        name=f"together/{name}",
        text=text,
        about=f"What {len(members)} programs do: {members[0].name} to {members[-1].name}",
        oldest=max((member.oldest for member in members), key=LADDER.index),
        members=[member.name for member in members],
        feed=feed,
        uninterpreted=next((m.uninterpreted for m in members if m.uninterpreted), None),
    )


def programs() -> list[Program]:
    known = {p.name: p for module in MODULES for p in import_module(f".{module}", __package__).programs()}
    return [together(name, [known[member] for member in members.split()]) for name, members in MEMBERS.items()]
