import { expect, test } from 'vitest';
import { accessText } from '../model/invalid-access.ts';
import { type Fault, invalidAccess, type Lent } from './invalid-access.ts';

const MIB = 1n << 20n;
/** 24 bytes at the end of a page, between zones of 1 MiB. */
const lent = (page: bigint, name: string, now = true): Lent => ({
  from: page - MIB,
  to: page + 4096n + MIB,
  address: page + 4096n - 24n,
  length: 24,
  name,
  now,
});
const PAGE = 0x7f00_0000_0000n;
const BLOCKS = [lent(PAGE, 'data'), lent(PAGE + 4n * MIB, 'PJRT_X_Args'), lent(PAGE + 8n * MIB, 'dims', false)];

const said = (address: bigint, fault: Partial<Fault> = {}): string | undefined =>
  accessText(invalidAccess({ code: 2, address, how: 'read', stackPointer: 0x7ffe_0000_0000n, ...fault }, BLOCKS));

test.each<[bigint, string]>([
  [PAGE + 4096n, 'it reads past the end of `data` (24 bytes)'],
  [PAGE + 4096n + 69_632n, 'it reads 69,632 bytes past the end of `data` (24 bytes)'],
  [PAGE - 8n, 'it reads 4,080 bytes before the beginning of `data` (24 bytes)'],
  [PAGE + 4n * MIB + 4096n + 8n, 'it reads 8 bytes past the end of PJRT_X_Args (24 bytes)'],
  [PAGE + 8n * MIB + 4096n, 'it reads past the end of `dims` (24 bytes), after the call that it was given to'],
  [0x18n, 'it reads through a null pointer (address 0x18)'],
  [0x7ffd_ffff_fff8n, 'it has used up its stack'],
])('an access to %s', (address, text) => {
  expect(said(address)).toBe(text);
});

test('the processor says whether it was a write', () => {
  expect(said(PAGE + 4096n, { how: 'write' })).toBe('it writes past the end of `data` (24 bytes)');
  expect(said(0x18n, { how: undefined })).toBe('it goes through a null pointer (address 0x18)');
  expect(said(PAGE + 4096n, { how: undefined })).toBe('it goes past the end of `data` (24 bytes)');
});

test('of an address that is near nothing, or that is none, there is nothing to say', () => {
  expect(said(PAGE + 2n * MIB)).toBe(undefined);
  expect(said(0n, { code: 0x80 })).toBe(undefined);
});
