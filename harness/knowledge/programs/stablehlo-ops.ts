/** The operations of StableHLO 1.17, removed ones included: a name that is none of them is a mistake, or newer than this tool. */
import { suggestion } from '../../base/did-you-mean.ts';
import { ProgramError } from './program.ts';

const OPS: ReadonlySet<string> = new Set(
  `
  abs add after_all all_gather all_reduce all_to_all and async_done async_start atan2 batch_norm_grad
  batch_norm_inference batch_norm_training bitcast_convert broadcast broadcast_in_dim case cbrt ceil cholesky
  clamp collective_broadcast collective_permute collective_reduce compare complex composite concatenate constant
  convert convolution cosine count_leading_zeros create_token custom_call divide dot dot_general
  dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice
  dynamic_update_slice einsum exponential exponential_minus_one fft floor gather get_dimension_size
  get_tuple_element if imag infeed iota is_finite log log_plus_one logistic map maximum minimum multiply negate
  not optimization_barrier or outfeed pad partition_id popcnt power real real_dynamic_slice recv reduce
  reduce_precision reduce_scatter reduce_window remainder replica_id reshape return reverse rng
  rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter send
  set_dimension_size shift_left shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract
  tan tanh torch_index_select trace transpose triangular_solve tuple unary_einsum uniform_dequantize
  uniform_quantize while xor
  `
    .trim()
    .split(/\s+/),
);

/** The operations by name. */
export const stablehloOps = (): string[] => [...OPS];

/** Operations at the beginning of a line, with or without results, plain or quoted. */
const AT_LINE_START = /^[ \t]*(?:%[^=\n]*=\s*)?"?stablehlo\.(\w+)/gm;

/** Results of an operation of another dialect, or its name in quotes, at the beginning of a line. */
const OF_DIALECT = /^[ \t]*(?:%[^=\n]*=\s*"?|")([a-z_]\w*)\.([\w.]+)"?(?=[ \t(])(?![ \t]*=)/gm;

/** What XLA's plugins read beside StableHLO. */
const DIALECTS = new Set(
  'arith builtin chlo func mhlo mpmd quant sdy shape sparse_tensor stablehlo tensor vhlo'.split(' '),
);

/** Checks that StableHLO has the operations that a text uses. @throws ProgramError with the place of the first it has not */
export function checkOps(text: string, file: string): void {
  const fail = (at: number, message: string): never => {
    const before = text.slice(0, at).split('\n');
    throw new ProgramError(`${file}:${before.length}:${before.at(-1)!.length + 1}: ${message}`);
  };
  for (const match of text.matchAll(AT_LINE_START)) {
    const name = match[1]!;
    if (OPS.has(name)) continue;
    const at = match.index + match[0].length - name.length;
    fail(at, `StableHLO 1.17 has no operation ${name}${suggestion(name, OPS)}`);
  }
  for (const match of text.matchAll(OF_DIALECT)) {
    const [found, dialect, name] = match;
    if (DIALECTS.has(dialect!)) continue;
    const message = `${dialect}.${name} is no operation of StableHLO, which is what plugins compile: lower the program to StableHLO`;
    fail(match.index + found.indexOf(`${dialect}.`), message);
  }
}
