import { expect, test } from 'vitest';
import { DTYPES } from '../numerics/dtypes.ts';
import { needsOfText, programNeeds } from './program-needs.ts';
import { loadProgram, programNames } from './programs.ts';

test('operations and element types, also inside regions', () => {
  expect(programNeeds(loadProgram('reduce/max_rows_bf16'))).toMatchObject({
    ops: expect.arrayContaining(['maximum', 'reduce']),
    dtypes: ['bf16'],
  });
  expect(programNeeds(loadProgram('complex/add_c64'))).toEqual({ ops: ['add'], dtypes: ['c64'] });
  expect(programNeeds(loadProgram('compare/eq_u8'))).toEqual({ ops: ['compare'], dtypes: ['pred', 'u8'] });
  expect(programNeeds(loadProgram('bad/not_mlir'))).toEqual({ ops: [], dtypes: [] });
});

test('attributes and comments are not operations', () => {
  const text = `// stablehlo.sort is not here
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1>}> ({
      stablehlo.return %b : tensor<f32>
    }) : (tensor<?x2xi4>) -> tensor<3x2xcomplex<f64>>`;
  expect(needsOfText(text)).toEqual({ ops: ['all_reduce'], dtypes: ['c128', 'f32', 's4'], dynamic: true });
});

test('every committed program: known element types, those of its inputs and outputs among them', () => {
  const types = new Set(DTYPES.map(({ name }) => name));
  for (const program of programNames().map(loadProgram)) {
    if (program.bad) continue;
    const { dtypes } = programNeeds(program);
    expect([program.name, dtypes.filter((name) => !types.has(name))]).toEqual([program.name, []]);
    const named = [...program.inputs, ...program.outputs].map(({ dtype }) => dtype);
    expect([program.name, dtypes]).toEqual([program.name, expect.arrayContaining(named)]);
  }
});
