import { expect, test } from 'vitest';
import {
  type CompileOptions,
  decodeCompileOptions,
  decodeDeviceAssignment,
  encodeCompileOptions,
} from './compile-options.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Buffer.from(text, 'hex');

// CompileOptions.SerializeAsString() of jaxlib 0.10.2, without the debug options (field 3 of the build options).
const JAXLIB: [string, CompileOptions, string][] = [
  ['defaults', {}, '1a1908ffffffffffffffffff012001280162010092010100b80101'],
  [
    'two replicas of three partitions, assigned',
    {
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

test('options of jaxlib with fields this schema lacks are read', () => {
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
  });
  // Env overrides (field 7) are not in the schema.
  const overridden = `${JAXLIB[0]![2]}3a0c0a05786c615f6112030a01733a0b0a05786c615f6212021001`;
  expect(decodeCompileOptions(bytes(overridden)).numReplicas).toBe(1);
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
  expect(decodeCompileOptions(encodeCompileOptions(options))).toEqual(options);
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

test('broken messages are refused with a reason', () => {
  expect(() => decodeDeviceAssignment(bytes('080210031a04'))).toThrow('not a DeviceAssignmentProto (6 bytes)');
  expect(() => decodeDeviceAssignment(bytes('080210021a040a020003'))).toThrow('2 replicas and 2 computations');
  expect(() => decodeCompileOptions(bytes('1a7f'))).toThrow('not a CompileOptionsProto (2 bytes)');
  expect(() => encodeCompileOptions({ deviceAssignment: [[0, 1], [2]] })).toThrow('same number of partitions');
});
