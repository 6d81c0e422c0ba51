import { expect, test } from 'vitest';
import { encodeCompileOptions } from './compile-options.ts';
import { optionFields } from './option-fields.ts';

test('every field has a path and a value, those that no schema has by number', () => {
  const options = encodeCompileOptions({
    style: 'plain',
    numReplicas: 2,
    debug: { xla_dump_max_hlo_modules: 200 },
  });
  expect(Object.fromEntries(optionFields(options))).toEqual({
    'executableBuildOptions.deviceOrdinal': '-1',
    'executableBuildOptions.debugOptions.xla_dump_max_hlo_modules': '200',
    'executableBuildOptions.numReplicas': '2',
    'executableBuildOptions.numPartitions': '1',
    'executableBuildOptions.allowSpmdShardingPropagationToOutput': '0x00',
    'executableBuildOptions.allowSpmdShardingPropagationToParameters': '0x00',
    'executableBuildOptions.processCount': '1',
  });
  const unknown = Buffer.from([0xa0, 0x06, 0x05, 0xaa, 0x06, 0x02, 0x61, 0x62, 0xa0, 0x06, 0x07]);
  expect(Object.fromEntries(optionFields(unknown))).toEqual({ 100: '5, 7', 101: '"ab"' });
});
