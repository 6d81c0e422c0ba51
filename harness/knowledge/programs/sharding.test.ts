import { expect, test } from 'vitest';
import { ProgramError } from './program.ts';
import { inReplicas, partitionsOf, placementOf } from './sharding.ts';

const meshes = new Map([
  ['m', '<["x"=2, "y"=2]>'],
  ['turned', '<["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>'],
  ['line', '<["x"=4]>'],
  ['one', '<[], device_ids=[1]>'],
]);
const place = (sharding: string | undefined, shape = [4, 6], partitions = 4) =>
  placementOf(sharding, meshes, shape, partitions);
const shardy = (mesh: string, dimensions: string): string => `#sdy.sharding<@${mesh}, [${dimensions}]>`;

test.each<[string, number[], string]>([
  ['{devices=[2,2]<=[4]}', [2, 3], '0,0 0,3 2,0 2,3'],
  ['{devices=[2,2]0,2,1,3}', [2, 3], '0,0 2,0 0,3 2,3'],
  ['{devices=[2,2]<=[2,2]T(1,0)}', [2, 3], '0,0 2,0 0,3 2,3'],
  ['{devices=[4,1]<=[4]}', [1, 6], '0,0 1,0 2,0 3,0'],
  ['{devices=[2,1,2]<=[4] last_tile_dim_replicate}', [2, 6], '0,0 0,0 2,0 2,0'],
  ['{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={replicated}}', [4, 3], '0,0 0,3 0,0 0,3'],
  ['{replicated}', [4, 6], '0,0 0,0 0,0 0,0'],
  [shardy('m', '{"x"}, {"y"}'), [2, 3], '0,0 0,3 2,0 2,3'],
  [shardy('m', '{"y"}, {"x"}'), [2, 3], '0,0 2,0 0,3 2,3'],
  [shardy('m', '{"y", "x"}, {}'), [1, 6], '0,0 2,0 1,0 3,0'],
  [shardy('m', '{"x"}p1, {}'), [2, 6], '0,0 0,0 2,0 2,0'],
  [shardy('turned', '{"x"}, {"y"}'), [2, 3], '2,0 0,3 2,3 0,0'],
  [shardy('line', '{"x":(1)2}, {"x":(2)2}'), [2, 3], '0,0 0,3 2,0 2,3'],
  ['<mesh<["x"=4]>, [{"x"}, {}], replicated={}>', [1, 6], '0,0 1,0 2,0 3,0'],
])('%s', (sharding, shape, starts) => {
  const placed = place(sharding);
  expect(placed.shape).toEqual(shape);
  expect(placed.starts.join(' ')).toBe(starts);
  expect(placed.open).toBe(false);
});

test('what is left to the compiler is whole so far', () => {
  expect(place(undefined)).toMatchObject({ shape: [4, 6], open: true });
  expect(place(shardy('m', '{?}, {"x", ?}'))).toMatchObject({ shape: [4, 3], open: true });
});

test.each([
  [shardy('m', '{"x"}, {"y"}'), [3, 6], 4, 'cuts [3,6] unevenly: 3 elements into 2 pieces'],
  [shardy('m', '{"x"}'), [4, 6], 4, 'has 1 dimensions, and the array [4,6] 2'],
  [shardy('m', '{"x"}, {}'), [4, 6], 2, 'is over 4 devices, and the program has 2 partitions'],
  [shardy('n', '{"x"}, {}'), [4, 6], 4, 'the module has no sdy.mesh @n'],
  [shardy('m', '{"z"}, {}'), [4, 6], 4, 'along "z", which is no axis of its mesh'],
  [shardy('line', '{"x":(3)2}, {}'), [4, 6], 4, 'has a part "x":(3)2 of an axis of 4'],
  ['#sdy.sharding<@m, [{}, {}], unreduced={"x"}>', [4, 6], 4, 'is unreduced'],
  [shardy('one', '{}, {}'), [4, 6], 4, 'the mesh <[], device_ids=[1]> is none that arrays can be cut by'],
  ['{maximal device=1}', [4, 6], 4, 'is none that arrays can be cut by'],
  ['{manual}', [4, 6], 4, 'is none that arrays can be cut by'],
  ['{devices=[2,1,2]<=[4] last_tile_dims={manual}}', [4, 6], 4, 'is none that arrays can be cut by'],
  ['{{replicated}, {replicated}}', [4, 6], 4, 'is none that arrays can be cut by'],
  ['{devices=[2,2]0,1,1,3}', [4, 6], 4, 'does not name each of 4 devices once'],
  ['{devices=[100000,100000]<=[10000000000]}', [4, 6], 4, 'does not name each of'],
])('%s of %j over %d is refused', (sharding, shape, partitions, message) => {
  expect(() => place(sharding, shape, partitions)).toThrow(ProgramError);
  expect(() => place(sharding, shape, partitions)).toThrow(message);
});

test('partitions are those of the module, or of the meshes and shardings', () => {
  const of = (inputs: string[], names: string[], declared?: number) =>
    partitionsOf({ inputs, outputs: [], meshes: new Map(names.map((name) => [name, meshes.get(name)!])) }, declared);
  expect(of([], [])).toBe(1);
  expect(of([], ['m'])).toBe(4);
  expect(of(['{devices=[2]<=[2]}'], [])).toBe(2);
  expect(of(['{devices=[2]<=[2]}'], ['m'], 2)).toBe(2);
  expect(() => of(['{devices=[2]<=[2]}'], ['m'])).toThrow('meshes and shardings over 2 and 4 devices');
});

test('replicas have the same array, or each its own', () => {
  const cut = { shape: [2], starts: [[0], [2]] };
  expect(inReplicas(cut, 2, false).starts).toEqual([[0], [2], [0], [2]]);
  expect(inReplicas(cut, 2, true).starts).toEqual([
    [0, 0],
    [0, 2],
    [1, 0],
    [1, 2],
  ]);
});
