import type { StructLayout } from '../abi/index.ts';

/** Fields that count the elements of array fields. Most are called `num_<array>`; these are the others (PJRT C API header). */
const IRREGULAR: Readonly<Record<string, string>> = {
  create_options: 'num_options',
  shape_dims: 'shape_num_dims',
  dims: 'num_dims',
  unpadded_dims: 'num_dims',
  dynamic_dim_indices: 'num_dynamic_dims',
  transfer_metadata: 'num_metadata',
  payload: 'num_payload',
  default_assignment: 'default_assignment_size',
  minor_to_major: 'minor_to_major_size',
  descriptions: 'num_descriptions',
  options: 'num_options',
  memory_kinds: 'num_outputs',
  memory_kind_sizes: 'num_outputs',
  dim_sizes: 'num_outputs',
};

/** Name of the field that counts an array field; undefined if there is none. */
export function countField(layout: StructLayout, array: string): string | undefined {
  const candidates = [`num_${array}`, IRREGULAR[array], `${array}_size`];
  if (array === 'memory_kinds' || array === 'memory_kind_sizes') candidates.push('num_parameters');
  return candidates.find((c) => c !== undefined && layout.has(c));
}
