import { lstatSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeZip } from './write-zip.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-zip-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('an archive does not replace a device', async () => {
  const device = join(directory, 'device');
  symlinkSync('/dev/null', device);
  await expect(writeZip(device, [{ path: 'a', from: Buffer.from('x') }])).rejects.toThrow(/device: it is not a file/);
  expect(lstatSync(device).isSymbolicLink()).toBe(true);
});
