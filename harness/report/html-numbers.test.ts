import { expect, test } from 'vitest';
import { htmlNumbers } from './html-numbers.ts';

const elements = { shape: [2], expected: '3f800000 7fc00000', actual: '3f800001 80000000', ulp: [1, null], wrong: [1] };

test('elements are shown in decimal, with their bits', () => {
  const shown = htmlNumbers({
    dtype: 'f32',
    elements,
    inputs: [
      { name: 'x', dtype: 's8', shape: [2], bits: 'ff 02' },
      { name: 'big', dtype: 'f32', shape: [100] },
    ],
  });
  expect(shown.elements).toEqual({
    ...elements,
    expected: [
      ['1', '0x3f800000'],
      ['nan', '0x7fc00000'],
    ],
    actual: [
      ['1.0000001', '0x3f800001'],
      ['-0', '0x80000000'],
    ],
  });
  expect(shown.inputs).toEqual([
    {
      name: 'x',
      dtype: 's8',
      shape: [2],
      elements: [
        ['-1', '0xff'],
        ['2', '0x02'],
      ],
    },
    { name: 'big', dtype: 'f32', shape: [100] },
  ]);
});

test.each([
  ['of an unknown type', { dtype: 'f1', elements }],
  ['of another length', { dtype: 'f32', elements: { ...elements, actual: '3f800001' } }],
  ['that are no bits', { dtype: 'f32', elements: { ...elements, actual: 'one two' } }],
])('arrays %s are left out', (_, numbers) => {
  expect(htmlNumbers(numbers)).toEqual({ dtype: numbers.dtype });
});
