import { expect, test } from 'vitest';
import { Abi } from '../../knowledge/abi/index.ts';
import { StructView } from './struct-view.ts';

const viewOf = (name: string): StructView => {
  const layout = Abi.at(114).struct(name);
  return new StructView(layout, new DataView(new ArrayBuffer(layout.size)));
};

test('an array has as many elements as the field says that counts it', () => {
  const view = viewOf('PJRT_Client_CreateUninitializedBuffer_Args');
  view.setSize('shape_num_dims', 3);
  expect(view.count('shape_dims')).toBe(3);
});

test('what has no single count has no number of elements', () => {
  const view = viewOf('PJRT_Executable_OutputDimensions_Args');
  expect(() => view.count('dims')).toThrow('PJRT_Executable_OutputDimensions_Args has no single count of dims');
  expect(() => view.count('executable')).toThrow('has no single count of executable');
});
