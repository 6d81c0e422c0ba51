import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheDirectoryOf } from '../../base/cache-directory.ts';
import type { Progress } from '../../model/plugin.ts';
import { checkLibraryFile, libraryHash } from './library-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'library-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const sum = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('checkLibraryFile', () => {
  it('accepts a file and returns its size', async () => {
    writeFileSync(join(directory, 'a.so'), 'text');
    expect(await checkLibraryFile(join(directory, 'a.so'), { where: 'here' })).toMatchObject({ sizeBytes: 4 });
  });

  it('quotes a strange path on one line, and only the ends of a very long one', async () => {
    await expect(checkLibraryFile(join(directory, 'two\nlines'), { where: 'here' })).rejects.toThrow(
      /^here: no such file: .*two\\nlines$/,
    );
    const endless = checkLibraryFile(`${directory}/${'x'.repeat(20_000)}`, { where: 'here' });
    await expect(endless).rejects.toThrow(/^here: \/.{200,450} cannot be read: the name is too long$/);
  });

  it('leaves an empty file to the loader', async () => {
    writeFileSync(join(directory, 'a.so'), '');
    const file = await checkLibraryFile(join(directory, 'a.so'), { where: 'here' });
    expect(file.sizeBytes).toBe(0);
    expect(await libraryHash(file, join(directory, 'cache'))).toBe(sum(''));
  });

  it.each<[string, (path: string) => void, string, string]>([
    ['a directory', (path) => mkdirSync(path), 'plugin-not-a-library', 'is a directory, expected a shared library'],
    ['a missing file', () => {}, 'plugin-not-found', 'no such file'],
    ['a dangling link', (path) => symlinkSync(`${path}.gone`, path), 'plugin-not-found', 'no such file'],
    ['a link to itself', (path) => symlinkSync(path, path), 'plugin-unreadable', 'cannot be read'],
    ['a near miss', (path) => writeFileSync(`${path}x`, 'x'), 'plugin-not-found', 'did you mean "a.sox"?'],
  ])('rejects %s', async (_, make, code, message) => {
    const path = join(directory, 'a.so');
    make(path);
    await expect(checkLibraryFile(path, { where: '--plugin a' })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(`^--plugin a: .*${message.replace('?', '\\?')}`)),
    });
  });

  it('reports a missing directory too', async () => {
    await expect(checkLibraryFile(join(directory, 'no', 'a.so'), { where: 'x' })).rejects.toThrow(
      'does not exist either',
    );
  });

  // Root may read everything.
  it.skipIf(process.getuid?.() === 0)('rejects an unreadable file', async () => {
    const path = join(directory, 'a.so');
    writeFileSync(path, 'x');
    chmodSync(path, 0);
    await expect(checkLibraryFile(path, { where: 'x' })).rejects.toThrow('permission denied; check the modes');
  });
});

describe('libraryHash', () => {
  const hash = async (path: string, seen: Progress[] = []): Promise<string> =>
    libraryHash(await checkLibraryFile(path, { where: 'x' }), join(directory, 'cache'), (at) => seen.push(at));

  it('reads the file once, and again when it has changed', async () => {
    const path = join(directory, 'a.so');
    writeFileSync(path, 'one');
    const [first, second, third]: Progress[][] = [[], [], []];
    expect(await hash(path, first)).toBe(sum('one'));
    expect(first?.at(-1)).toEqual({ phase: 'hash', what: 'a.so', doneBytes: 3, totalBytes: 3 });
    expect(await hash(path, second)).toBe(sum('one'));
    expect(second).toEqual([]);
    writeFileSync(path, 'two');
    utimesSync(path, 1e9, 1e9);
    expect(await hash(path, third)).toBe(sum('two'));
    expect(third).not.toEqual([]);
  });

  it('finds a cached hash through a link', async () => {
    writeFileSync(join(directory, 'a.so'), 'one');
    symlinkSync(join(directory, 'a.so'), join(directory, 'b.so'));
    await hash(join(directory, 'a.so'));
    const seen: Progress[] = [];
    expect(await hash(join(directory, 'b.so'), seen)).toBe(sum('one'));
    expect(seen).toEqual([]);
  });

  it('recomputes after a damaged cache, and works without a writable one', async () => {
    const path = join(directory, 'a.so');
    writeFileSync(path, 'one');
    await hash(path);
    const hashes = join(directory, 'cache', 'hashes');
    for (const name of readdirSync(hashes)) writeFileSync(join(hashes, name), '{"sha256":');
    expect(await hash(path)).toBe(sum('one'));
    writeFileSync(join(directory, 'file'), '');
    expect(await libraryHash(await checkLibraryFile(path, { where: 'x' }), join(directory, 'file'))).toBe(sum('one'));
  });
});

describe('cacheDirectoryOf', () => {
  it.each([
    [{ PJRT_CONFORMANCE_CACHE: '/c', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/c'],
    [{ XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/pjrt-conformance'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, '/h/.cache/pjrt-conformance'],
    [{ HOME: '/h' }, '/h/.cache/pjrt-conformance'],
  ])('%j', (env, expected) => {
    expect(cacheDirectoryOf(env)).toBe(expected);
  });
});
