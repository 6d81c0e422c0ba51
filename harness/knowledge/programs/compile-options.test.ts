import { expect, test } from 'vitest';
import type { OptionOverride } from '../../model/plugin.ts';
import {
  type CompileOptions,
  decodeCompileOptions,
  decodeDeviceAssignment,
  encodeCompileOptions,
} from './compile-options.ts';
import { jaxDebugOptions } from './jax-compile-options.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Buffer.from(text, 'hex');

/** Removes the debug options, field 3 of field 3: a tag of 1 byte and a length of 2, in a message whose length changes. */
const withoutDebugOptions = (encoded: Uint8Array): string => {
  const debug = `1a${varint(jaxDebugOptions().length)}${hex(jaxDebugOptions())}`;
  const [, length, rest] = /^1a(....)(.*)$/.exec(hex(encoded))!;
  expect(rest).toContain(debug);
  return `1a${(unvarint(length!) - debug.length / 2).toString(16).padStart(2, '0')}${rest!.replace(debug, '')}`;
};
const varint = (value: number): string => Buffer.from([(value & 0x7f) | 0x80, value >> 7]).toString('hex');
const unvarint = (text: string): number =>
  (Number.parseInt(text.slice(0, 2), 16) & 0x7f) | (Number.parseInt(text.slice(2), 16) << 7);

// Sent by jaxlib 0.10.2 to PJRT_Client_Compile for a jit, without the debug options.
const JAX: [string, CompileOptions, string][] = [
  [
    'no argument, one result',
    { deviceAssignment: [[0]], signature: { parameters: 0, results: 1 } },
    '1a2808ffffffffffffffffff012001280130014a09080110011a030a0100620101980101b80101c8011d28ffffffffffffffffff014801',
  ],
  [
    'three arguments, two results',
    { deviceAssignment: [[0]], signature: { parameters: 3, results: 2 } },
    '1a2f08ffffffffffffffffff012001280130014a09080110011a030a010062020101920103000000980101b80101c8011d28ffffffffffffffffff014801',
  ],
];

test.each(JAX)('%s: the same bytes as JAX', (_, options, expected) => {
  expect(withoutDebugOptions(encodeCompileOptions(options))).toBe(expected);
});

// A jit of JAX 0.10.2 with compiler_options={'s': 'x', 'b': True, 'i': 5, 'd': 1.5}: one map entry each.
test.each<[OptionOverride, string]>([
  [{ kind: 'string', value: 'x' }, '3a080a017312030a0178'],
  [{ kind: 'bool', value: true }, '3a070a017312021001'],
  [{ kind: 'int64', value: 5n }, '3a070a017312021805'],
  [{ kind: 'float', value: 1.5 }, '3a0e0a0173120921000000000000f83f'],
])('an override of the type of %o is sent as by JAX', (option, expected) => {
  const encoded = encodeCompileOptions({ overrides: { s: option } });
  expect(hex(encoded)).toContain(expected);
  expect(decodeCompileOptions(encoded).overrides).toEqual({
    s: option.kind === 'int64' ? Number(option.value) : option.value,
  });
});

test('debug options are those of JAX, or absent', () => {
  // xla_cpu_enable_fast_min_max (140) is present and false: XLA's default is true.
  expect(hex(jaxDebugOptions())).toContain('e00800');
  expect(decodeCompileOptions(encodeCompileOptions()).debug).toBeDefined();
  expect(decodeCompileOptions(encodeCompileOptions({ style: 'plain' })).debug).toBeUndefined();
});

// CompileOptions.SerializeAsString() of jaxlib 0.10.2, without the debug options (field 3 of the build options).
const JAXLIB: [string, CompileOptions, string][] = [
  ['defaults', { style: 'plain' }, '1a1908ffffffffffffffffff012001280162010092010100b80101'],
  [
    'two replicas of three partitions, assigned',
    {
      style: 'plain',
      numReplicas: 2,
      numPartitions: 3,
      useSpmdPartitioning: false,
      deviceAssignment: [
        [0, 1, 2],
        [3, 4, 5],
      ],
    },
    '1a3108ffffffffffffffffff01200228034a16080210031a040a0200031a040a0201041a040a02020562010092010100b80101',
  ],
];

test.each(JAXLIB)('%s: the same bytes as jaxlib', (_, options, expected) => {
  expect(hex(encodeCompileOptions(options))).toBe(expected);
});

test('options of jaxlib with fields missing from this schema are read', () => {
  // Portable, SPMD with Shardy over two partitions, tupled arguments, profile version 7.
  const options = '10011a1e08ffffffffffffffffff0120012802300162010092010100980101b8010120012807';
  expect(decodeCompileOptions(bytes(options))).toEqual({
    numReplicas: 1,
    numPartitions: 2,
    deviceOrdinal: -1,
    portable: true,
    useSpmdPartitioning: true,
    useShardyPartitioner: true,
    deviceAssignment: undefined,
    propagation: { inputs: [false], outputs: [false] },
    debug: undefined,
    overrides: {},
  });
  const overridden = `${JAXLIB[0]![2]}3a0c0a05786c615f6112030a01733a0b0a05786c615f6212021001`;
  expect(decodeCompileOptions(bytes(overridden))).toMatchObject({
    numReplicas: 1,
    overrides: { xla_a: 's', xla_b: true },
  });
});

test('what is encoded is decoded', () => {
  const options = {
    numReplicas: 1,
    numPartitions: 2,
    deviceOrdinal: 3,
    portable: true,
    useSpmdPartitioning: true,
    useShardyPartitioner: true,
    deviceAssignment: [[7, 300]],
  };
  expect(decodeCompileOptions(encodeCompileOptions(options))).toEqual({
    ...options,
    propagation: { inputs: [false], outputs: [true] },
    debug: expect.anything(),
    overrides: {},
  });
});

test.each(['jax', 'plain'] as const)('debug options are added to those of the style %s', (style) => {
  const debug = { xla_embed_ir_in_executable: true, xla_dump_max_hlo_modules: 200 };
  expect(decodeCompileOptions(encodeCompileOptions({ style, debug })).debug).toEqual(debug);
});

test.each([{ xla_dump_max_hlo_modules: 'many' }, { xla_of_tomorrow: 1 }])('debug options %o are refused', (debug) => {
  expect(() => encodeCompileOptions({ debug })).toThrow(/debug options/);
});

test('partitions turn SPMD partitioning on', () => {
  expect(decodeCompileOptions(encodeCompileOptions({ numPartitions: 2 })).useSpmdPartitioning).toBe(true);
  expect(decodeCompileOptions(encodeCompileOptions({ numReplicas: 2 })).useSpmdPartitioning).toBe(false);
});

test('a device assignment of jaxlib: replicas are rows', () => {
  expect(decodeDeviceAssignment(bytes('080210031a040a0200031a040a0201041a040a020205'))).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
  expect(decodeDeviceAssignment(new Uint8Array())).toEqual([]);
});

test('invalid messages are rejected with a reason', () => {
  expect(() => decodeDeviceAssignment(bytes('080210031a04'))).toThrow('not a DeviceAssignmentProto (6 bytes)');
  expect(() => decodeDeviceAssignment(bytes('080210021a040a020003'))).toThrow('2 replicas and 2 computations');
  expect(() => decodeCompileOptions(bytes('1a7f'))).toThrow('not a CompileOptionsProto (2 bytes)');
  expect(() => encodeCompileOptions({ deviceAssignment: [[0, 1], [2]] })).toThrow('same number of partitions');
});
