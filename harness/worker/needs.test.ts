import { expect, test } from 'vitest';
import { unmetNeed } from './needs.ts';
import { PjrtError } from './pjrt/errors.ts';
import type { CaseContext } from './steps/context.ts';

/** A case that needs a memory, on a plugin whose manifest declares these kinds. */
const needing = (declared: string[] | undefined, memories: () => { memoryKind(): string }[]): CaseContext =>
  ({
    case: { requires: { memories: 1 }, client: 'shared' },
    client: { addressableDevices: () => [{ memories }] },
    subjects: [{ plugin: { api: {} }, setup: { declares: declared && { memoryKinds: declared } } }],
  }) as unknown as CaseContext;

const kinds = (...names: string[]) => names.map((name) => ({ memoryKind: () => name }));
const none = () => {
  throw new PjrtError('PJRT_Device_AddressableMemories', 0, 'UNIMPLEMENTED', 'no memories', []);
};

test('a device without memories lacks what a case needs', () => {
  expect(unmetNeed(needing(undefined, () => kinds('device')))).toBeUndefined();
  expect(unmetNeed(needing(undefined, () => []))).toEqual({
    reason: 'needs 1 memories on a device; there are 0',
  });
  expect(() => unmetNeed(needing(undefined, none))).toThrow(PjrtError);
});

test('memory kinds that the manifest declares must exist', () => {
  expect(unmetNeed(needing(['device'], () => kinds('pinned_host', 'device')))).toBeUndefined();
  expect(() => unmetNeed(needing(['device', 'pinned_host'], () => kinds('device')))).toThrow(
    "the first device has only device, but the plugin's manifest declares the memory kind pinned_host",
  );
  expect(() => unmetNeed(needing(['device'], () => []))).toThrow('the first device has no memory, but');
  expect(() => unmetNeed(needing(['device'], none))).toThrow(
    "PJRT_Device_AddressableMemories returns UNIMPLEMENTED, but the plugin's manifest declares the memory kind device",
  );
});
