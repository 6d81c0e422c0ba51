import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Progress } from '../../model/plugin.ts';
import { makeZip, type ZipEntry } from './make-zip.test-helper.ts';
import { unpackOne } from './unpack.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'unpack-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const DATA = 'not really a library';
const unpack = (entries: ZipEntry[], wanted = 'p/lib.so', size = DATA.length): Promise<string> => {
  writeFileSync(join(directory, 'w.whl'), makeZip(entries));
  return unpackOne(join(directory, 'w.whl'), wanted, join(directory, 'out'), size);
};

describe('unpackOne', () => {
  it('extracts the file and returns its hash and its progress', async () => {
    const seen: Progress[] = [];
    writeFileSync(
      join(directory, 'w.whl'),
      makeZip([
        { name: 'p/lib.so', data: DATA },
        { name: 'other', data: 'x' },
      ]),
    );
    const sum = await unpackOne(join(directory, 'w.whl'), 'p/lib.so', join(directory, 'out'), DATA.length, (at) =>
      seen.push(at),
    );
    expect(sum).toBe(createHash('sha256').update(DATA).digest('hex'));
    expect(readFileSync(join(directory, 'out'), 'utf8')).toBe(DATA);
    expect(readdirSync(directory).sort()).toEqual(['out', 'w.whl']);
    expect(seen.at(-1)).toEqual({ phase: 'unpack', what: 'lib.so', doneBytes: DATA.length, totalBytes: DATA.length });
  });

  it.each<[string, ZipEntry[], string]>([
    ['a name that climbs out', [{ name: '../evil', data: 'x' }], 'invalid relative path'],
    ['an absolute name', [{ name: '/etc/evil', data: 'x' }], 'absolute path'],
    ['a drive name', [{ name: 'C:/evil', data: 'x' }], 'absolute path'],
    ['a backslash name', [{ name: '..\\evil', data: 'x' }], 'invalid characters'],
    ['a symbolic link', [{ name: 'p/lib.so', data: DATA, mode: 0o120777 }], 'not a plain file'],
    ['the file twice', [{ name: 'p/lib.so', data: DATA }], 'is in the archive twice'],
    ['another size', [{ name: 'p/lib.so', data: 'short' }], 'has 5 bytes, the manifest says 20'],
    ['a size that lies', [{ name: 'p/lib.so', data: 'short', claimedSize: 20 }], 'size mismatch'],
  ])('rejects %s and leaves nothing behind', async (what, entries, message) => {
    const withLibrary = entries.some(({ name }) => name === 'p/lib.so') && !what.includes('twice');
    const all = withLibrary ? entries : [{ name: 'p/lib.so', data: DATA }, ...entries];
    await expect(unpack(all)).rejects.toThrow(message);
    await expect(unpack(all)).rejects.toMatchObject({ code: 'archive-unsafe' });
    expect(readdirSync(directory)).toEqual(['w.whl']);
  });

  it('rejects a file that is no archive, or a truncated one', async () => {
    writeFileSync(join(directory, 'w.whl'), 'hello');
    const target = join(directory, 'out');
    await expect(unpackOne(join(directory, 'w.whl'), 'a', target, 1)).rejects.toMatchObject({ code: 'archive-unsafe' });
    const whole = makeZip([{ name: 'p/lib.so', data: DATA }]);
    writeFileSync(join(directory, 'w.whl'), whole.subarray(0, whole.length - 30));
    await expect(unpackOne(join(directory, 'w.whl'), 'p/lib.so', target, DATA.length)).rejects.toMatchObject({
      code: 'archive-unsafe',
    });
    expect(existsSync(target)).toBe(false);
  });

  it('lists the libraries of the wheel if the requested one is missing', async () => {
    await expect(unpack([{ name: 'q/new-name.so', data: DATA }])).rejects.toThrow(
      'there is no p/lib.so in this wheel (libraries in it: q/new-name.so)',
    );
  });

  it('never overwrites an existing file', async () => {
    writeFileSync(join(directory, 'out'), 'mine');
    await expect(unpack([{ name: 'p/lib.so', data: DATA }])).rejects.toThrow('EEXIST');
    expect(readFileSync(join(directory, 'out'), 'utf8')).toBe('mine');
  });
});
