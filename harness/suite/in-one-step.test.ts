import { expect, test } from 'vitest';
import { readSample, sampleCase } from './sample-suite.test-helper.ts';

const stepsOf = (steps: string) => {
  const { cases, errors } = readSample(sampleCase(`steps:\n${steps}`));
  expect(errors).toBe('');
  return cases[0]!.steps.map(({ line: _, ...step }) => step);
};

test('a call for each element binds lists', () => {
  const steps = stepsOf(`  - call: PJRT_Client_Devices
    each: {client: $clients}
    as: {all: devices}
  - expect: {actual: $all, unique: true}`);
  expect(steps).toMatchObject([
    {
      verb: 'for-each',
      name: 'Element',
      list: '$clients',
      steps: [{ verb: 'call', function: 'PJRT_Client_Devices', with: { client: '$Element' }, as: { all: 'devices' } }],
      collect: { all: '$all' },
    },
    { verb: 'expect' },
  ]);
});

test('a compilation may name what is behind the loaded executable', () => {
  const steps = stepsOf(`  - compile: {as: f, program: elementwise/add_f32_4, executable: e}
  - destroy: $e`);
  expect(steps).toEqual([
    { verb: 'compile', as: 'f', program: 'elementwise/add_f32_4' },
    {
      verb: 'call',
      function: 'PJRT_LoadedExecutable_GetExecutable',
      with: { loaded_executable: '$f' },
      as: { e: 'executable' },
    },
    { verb: 'destroy', of: '$e' },
  ]);
});

test('an array that is read may be compared at once, and needs no name then', () => {
  const steps = stepsOf(`  - put: {as: x, data: {iota: {dtype: f32, shape: [4]}}}
  - get: {buffer: $x, equals: {iota: {dtype: f32, shape: [4]}}, level: should}
    breaks: [BUF-HOST-002]`);
  const breaks = ['BUF-HOST-002'];
  expect(steps.slice(1)).toEqual([
    { verb: 'get', buffer: '$x', as: 'Contents_of_x', breaks },
    {
      verb: 'expect',
      actual: '$Contents_of_x',
      equals: { iota: { dtype: 'f32', shape: [4] } },
      level: 'should',
      breaks,
    },
  ]);
});
