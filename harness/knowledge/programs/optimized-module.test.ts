import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { checkOptimizedModule } from './optimized-module.ts';
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

test('a truncated artifact is distinguished', () => {
  const bytes = loadProgram('misc/add_one').artifact('1.13.0');
  expect(() => checkOptimizedModule('mlir', bytes.subarray(0, bytes.length - 3))).toThrow(
    /expected section 8 of 12 bytes, of which only 9 are there/,
  );
});
