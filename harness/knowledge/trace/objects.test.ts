import { expect, test } from 'vitest';
import { RecordedObjects } from './objects.ts';

test('an address that a call gives again is another object', () => {
  const objects = new RecordedObjects();
  expect(objects.made('PJRT_Buffer', 16n)).toBe('Buffer#1');
  expect(objects.at('PJRT_Buffer', 16n)).toBe('Buffer#1');
  expect(objects.at('PJRT_Event', 16n)).toBe('Event#1');
  expect(objects.made('PJRT_Buffer', 16n)).toBe('Buffer#2');
});

test('what is said of an object before it is given is about the same one', () => {
  const objects = new RecordedObjects();
  objects.made('PJRT_Buffer', 16n);
  expect(objects.announced('PJRT_Buffer', 16n)).toBe('Buffer#2');
  expect(objects.made('PJRT_Buffer', 16n)).toBe('Buffer#2');
  expect(objects.made('PJRT_Buffer', 16n)).toBe('Buffer#3');
});
