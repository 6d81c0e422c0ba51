import { expect, test } from 'vitest';
import { ProgramError, type TensorType } from './program.ts';
import { loadProgram, programNames } from './programs.ts';
import { signatureOf, type ValueType } from './signature.ts';

const read = (text: string) => signatureOf(new TextEncoder().encode(text), 'p.mlir');
const shapes = (values: readonly TensorType[]) => values.map(({ dtype, shape }) => ({ dtype, shape: [...shape] }));
const main = (inputs: string, outputs = '()') => read(`func.func @main(${inputs}) -> ${outputs} { return }`);

test('every committed text has the inputs and outputs of the index', () => {
  const valid = programNames()
    .map(loadProgram)
    .filter((program) => !program.bad);
  expect(valid.length).toBeGreaterThan(600);
  for (const program of valid) {
    const signature = signatureOf(program.bytes(), program.file);
    expect([program.name, shapes(signature.inputs)]).toEqual([program.name, shapes(program.inputs)]);
    expect([program.name, shapes(signature.outputs)]).toEqual([program.name, program.outputs]);
    expect([program.name, signature.replicas ?? 1, signature.partitions ?? 1]).toEqual([
      program.name,
      program.replicas,
      program.partitions,
    ]);
    expect(signature.entry).toBe('main');
  }
});

test('attributes, names, comments and locations of parameters are no part of their types', () => {
  const signature = read(`// func.func @main(%arg0: tensor<7xf32>)
#loc = loc("a.py":1:1)
!t = tensor<2x3xbf16>
module @jit_f attributes {mhlo.num_partitions = 2 : i32, "mhlo.num_replicas" = 3 : i32, x = #a.b<"}", [{"y"}]>} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func private @"other main"(%a: !t) -> !t { return %a : !t }
  func.func public @main(
      %arg0: !t {jax.buffer_donor = true, mhlo.sharding = "{devices=[2,1]<=[2]}"} loc("x" ( "y.py":3:4)), // one
      %arg1: tensor<f8E4M3B11FNUZ> {tf.aliasing_output = 0 : i32}
    ) -> (tensor<1x0xi1> {jax.result_info = "[0])"}, !t {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) attributes {a = "{"} {
    %0 = stablehlo.constant dense<"0x00"> : tensor<1x0xi1>
    func.return %0, %arg0 : tensor<1x0xi1>, !t loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("b.py":1:1)
{-# dialect_resources: { builtin: { w: "0x08000000" } } #-}
`);
  expect(shapes(signature.inputs)).toEqual([
    { dtype: 'bf16', shape: [2, 3] },
    { dtype: 'f8e4m3b11fnuz', shape: [] },
  ]);
  expect(shapes(signature.outputs)).toEqual([
    { dtype: 'pred', shape: [1, 0] },
    { dtype: 'bf16', shape: [2, 3] },
  ]);
  expect(signature).toMatchObject({ entry: 'main', partitions: 2, replicas: 3, ops: ['constant'] });
});

test('shardings and meshes are read as they are written', () => {
  const sharding = '#sdy.sharding<@mesh, [{"x"}, {}]>';
  const header = 'attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{old = #sdy.mesh<[\\22x\\22=2]>}"}}';
  const text = read(`module ${header} {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]> {stablehlo.mesh = {axes = []}}
  func.func @main(%arg0: tensor<2xf32> {sdy.sharding = ${sharding}, a = 1}, %arg1: tensor<2xf32>) -> (tensor<2xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    return %arg0 : tensor<2xf32>
  }
}`);
  expect(text.shardings).toEqual({
    inputs: [sharding, undefined],
    outputs: ['{devices=[2]<=[2]}'],
    meshes: new Map([
      ['mesh', '<["x"=2], device_ids=[1, 0]>'],
      ['old', '<["x"=2]>'],
    ]),
  });
  const frontend = '{mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@old, [{\\22x\\22}]>"}}';
  const generic = read(`"builtin.module"() ({
  "func.func"() <{arg_attrs = [{}, ${frontend}], function_type = (tensor<2xf32>, tensor<2xf32>) -> (), sym_name = "main"}> ({
  }) : () -> ()
}) : () -> ()`);
  expect(generic.shardings?.inputs).toEqual([undefined, '#sdy.sharding<@old, [{"x"}]>']);
});

test('the generic form has the same signature', () => {
  const signature = read(`"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<2xui8>, tensor<complex<f64>>) -> tensor<?xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xui8>, %arg1: tensor<complex<f64>>):
    "func.return"(%0) : (tensor<?xf32>) -> ()
  }) : () -> ()
  "func.func"() ({
  }) {function_type = () -> (), sym_name = "f", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 4 : i32} : () -> ()`);
  expect(shapes(signature.inputs)).toEqual([
    { dtype: 'u8', shape: [2] },
    { dtype: 'c128', shape: [] },
  ]);
  expect(signature.outputs).toEqual([{ dtype: 'f32', shape: [-1], mlir: 'tensor<?xf32>', special: 'dynamic' }]);
  expect(signature.partitions).toBe(4);
});

test.each<[string, Partial<ValueType>]>([
  ['tensor<?x4xf32>', { dtype: 'f32', shape: [-1, 4], special: 'dynamic' }],
  ['tensor<?xf32, #stablehlo.bounds<5>>', { dtype: 'f32', shape: [-1], special: 'dynamic' }],
  ['tensor<*xf16>', { dtype: 'f16', shape: [], special: 'unranked' }],
  [
    'tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>',
    { dtype: 'quantized', shape: [2], special: 'quantized' },
  ],
  ['!stablehlo.token', { dtype: 'token', shape: [], special: 'token' }],
  ['tuple<tensor<2xf32>, tuple<>>', { dtype: 'tuple', shape: [], special: 'tuple' }],
  ['memref<4xf32, affine_map<(d0) -> (d0)>>', { dtype: 'memref', shape: [], special: 'memref' }],
  ['vector<4xf32>', { special: 'other' }],
  ['f32', { special: 'other' }],
  ['tensor<2x!x.y<"a>">>', { shape: [2], special: 'other' }],
  ['tensor<2x3xindex>', { dtype: 'index', shape: [2, 3] }],
  ['tensor<0x4xui2>', { dtype: 'u2', shape: [0, 4] }],
])('%s is what it is', (type, expected) => {
  const { inputs, outputs } = main(`%a: ${type} {a}, %b: tensor<f32>`, type);
  expect(inputs[0]).toMatchObject({ ...expected, mlir: type });
  expect(inputs[0]!.special).toBe(expected.special);
  expect(inputs[1]!.dtype).toBe('f32');
  expect(outputs).toEqual([inputs[0]]);
});

test('without @main the only public function is the entry', () => {
  expect(read('func.func @f(%a: tensor<i4>) { return }\nfunc.func private @g()').entry).toBe('f');
  expect(() => read('func.func @f() { return }\nfunc.func @g()')).toThrow('the public functions @f, @g');
  expect(() => read('func.func private @f() { return }')).toThrow('no public function');
  expect(() => read('module { module @inner { func.func @main() { return } } }')).toThrow('the module has no function');
});

test.each([
  ['', 'p.mlir: an empty file; expected StableHLO text or a portable artifact'],
  ['// nothing\n', 'p.mlir:1:1: expected StableHLO text'],
  ['hello\n', "p.mlir:1:1: expected StableHLO text: 'module' or 'func.func', found 'hello'"],
  ['HloModule m\nENTRY e {}', 'HLO text'],
  [
    'module {\n  func.func @main(%a: tensor<4xfloat>) {}\n}',
    "p.mlir:2:32: expected a type, for instance tensor<2x3xf32>, found 'float>) {}'",
  ],
  ['module {\n  func.func @main(%a: tensor<4xf32>, ', 'p.mlir:2:38: expected a type, found the end of the file'],
  [
    'module {\n  func.func @main(%a: !t) {}\n}',
    "p.mlir:2:23: expected a type, or an alias that is defined before (!t is not), found '!t) {}'",
  ],
  ['module {\n  func.func @main() {\n', "p.mlir:2:21: expected '}'"],
  ['module {\n  func.func @main() { "x }\n}', 'p.mlir:2:23: expected a string that ends'],
  ['module {} module {}', 'p.mlir:1:11: expected one module in the file'],
  ['module { func @main() { return } }', "p.mlir:1:10: expected 'func.func'"],
  [`func.func @main(%a: ${'tuple<'.repeat(200)}`, 'types nested at most 100 deep'],
  ['\u0000\u0001', 'p.mlir:1:1: expected StableHLO text'],
])('%j is refused with its place', (text, message) => {
  expect(() => read(text)).toThrow(ProgramError);
  expect(() => read(text)).toThrow(message);
});

test('bytes that are no text are refused', () => {
  expect(() => signatureOf(Uint8Array.of(0x80, 0xff), 'p.mlir')).toThrow('neither StableHLO text (not UTF-8) nor');
});

test('a constant of many megabytes is skipped', () => {
  const digits = '0123456789ABCDEF'.repeat(2 ** 21);
  const text = `func.func @main() -> tensor<2xf32> { %0 = stablehlo.constant dense<"0x${digits}"> : tensor<2xf32> return }`;
  expect(shapes(read(text).outputs)).toEqual([{ dtype: 'f32', shape: [2] }]);
});

test('a short text whose type is endless is refused', () => {
  const aliases = Array.from({ length: 60 }, (_, i) => `!t${i + 1} = tuple<!t${i}, !t${i}>`).join('\n');
  expect(() => read(`!t0 = tensor<f32>\n${aliases}\nfunc.func @main(%a: !t60)`)).toThrow(
    'a type that can be written out',
  );
});
