import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { checkOptimizedModule, outputSharding } from './optimized-module.ts';
import { loadProgram } from './programs.ts';

/** f32[4] plus one as an HloModuleProto, from the suite that compiles it. */
function hloModule(): Buffer {
  const suite = readFileSync(packagePath('suites/compile/programs.yaml'), 'utf8');
  const [, digits] = /module: >-\n((?: +[0-9a-f]+\n)+)/.exec(suite)!;
  return Buffer.from(digits!.replace(/\s/g, ''), 'hex');
}

const withConfig = (module: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x0a, (module.length & 0x7f) | 0x80, module.length >> 7]), module]);

test('programs of either format pass', () => {
  checkOptimizedModule('hlo_with_config', withConfig(hloModule()));
  checkOptimizedModule('mlir', Buffer.from('// optimized\nmodule @jit_f {\n  func.func @main() { return }\n}\n'));
  checkOptimizedModule('mlir', Buffer.from('"builtin.module"() ({\n}) : () -> ()\n'));
  checkOptimizedModule('mlir', loadProgram('misc/add_one').artifact('1.13.0'));
});

test.each([
  ['hlo_with_config', Buffer.alloc(100, 'x'), /without the one it begins with/],
  ['hlo_with_config', Buffer.alloc(100), /HloModuleProtoWithConfig/],
  ['hlo_with_config', hloModule(), /./],
  ['hlo_with_config', withConfig(Buffer.alloc(0)), /./],
  ['mlir', Buffer.alloc(100, 'x'), /text without a module/],
  ['mlir', Buffer.alloc(100), /text with NULs/],
  ['mlir', Buffer.from('ML\xefR', 'latin1'), /byte 4: expected another byte/],
  ['mlir', Buffer.from('\xff\xfe\xfd', 'latin1'), /neither/],
  ['mlir', Buffer.from('// module {}'), /text without a module/],
])('what is not a program is distinguished: %s %#', (format, code, message) => {
  expect(() => checkOptimizedModule(format, code)).toThrow(message);
});

/** Field 12 of the module: shardings, each a message. */
const cutBy = (sharding: readonly number[]): Buffer => withConfig(Buffer.from([0x62, sharding.length, ...sharding]));
const grid = [0x08, 3, 0x1a, 2, 2, 1];

test.each<[string | undefined, number[]]>([
  ['{replicated}', []],
  ['{devices=[2,1]0,1}', [...grid, 0x22, 2, 0, 1]],
  ['{devices=[2,1]<=[2]T(0)}', [...grid, 0x4a, 1, 2, 0x52, 1, 0]],
  ['{devices=[2,1]<=[2] last_tile_dim_replicate}', [...grid, 0x30, 1, 0x4a, 1, 2]],
  ['{devices=[2,1]<=[2] last_tile_dims={replicated}}', [...grid, 0x42, 1, 0, 0x4a, 1, 2]],
  [undefined, [...grid, 0x42, 1, 4, 0x4a, 1, 2]],
  [undefined, [0x08, 4]],
])('a result is cut by %s', (expected, sharding) => {
  expect(outputSharding('hlo_with_config', cutBy(sharding), 0)).toBe(expected);
  const second = [0x08, 2, 0x2a, 0, 0x2a, sharding.length, ...sharding];
  expect(outputSharding('hlo_with_config', cutBy(second), 1)).toBe(expected);
});

test('a truncated artifact is distinguished', () => {
  const bytes = loadProgram('misc/add_one').artifact('1.13.0');
  expect(() => checkOptimizedModule('mlir', bytes.subarray(0, bytes.length - 3))).toThrow(
    /expected section 8 of 12 bytes, of which only 9 are there/,
  );
});
