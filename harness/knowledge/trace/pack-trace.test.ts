import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { openTrace } from './open-trace.ts';
import { packTrace } from './pack-trace.ts';
import { TAR_BLOCK, tarHead, tarPadding } from './tar.ts';
import { TraceError } from './trace-error.ts';
import { unpackTo, unpackTrace } from './unpack-trace.ts';

const MANIFEST = {
  format: 'pjrt-conformance-trace',
  version: '1.0',
  recorded: '2026-11-29T00:00:00.000Z',
  keep: 'all',
};
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const BLOB = `blobs/ab/ab${'0'.repeat(30)}`;
const FILES: Readonly<Record<string, Buffer>> = {
  'manifest.json': Buffer.from(JSON.stringify(MANIFEST)),
  'README.md': Buffer.alloc(0),
  'pid-7/events-0001.bin': gunzipSync(readFileSync(packagePath('fixtures', 'traces', 'caller-1.0.bin.gz'))),
  [BLOB]: Buffer.alloc(3 * TAR_BLOCK, 'blob'),
};

let root: string;
let made = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'pjrt-pack-'));
  for (const [name, bytes] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, 'trace', name)), { recursive: true });
    writeFileSync(join(root, 'trace', name), bytes);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const pack = (output: string, directory = join(root, 'trace')) =>
  packTrace({ directory, shown: 'trace', output: join(root, output), shownOutput: output });
const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();

test('what is unpacked is what was packed, and the same trace gives the same file', async () => {
  const packed = await pack('one.tar.br');
  expect(packed).toMatchObject({ files: 4, packedBytes: readFileSync(join(root, 'one.tar.br')).length });
  await pack('two.tar.br');
  expect(readFileSync(join(root, 'two.tar.br'))).toEqual(readFileSync(join(root, 'one.tar.br')));
  await unpackTo(join(root, 'one.tar.br'), 'one.tar.br', join(root, 'again'), 'again');
  expect(filesBelow(join(root, 'again'))).toEqual(Object.keys(FILES).sort());
  for (const [name, bytes] of Object.entries(FILES)) expect(readFileSync(join(root, 'again', name))).toEqual(bytes);
  expect(openTrace(join(root, 'again')).processes.map(({ name }) => name)).toEqual(['pid-7']);
  await expect(unpackTo(join(root, 'one.tar.br'), 'one', join(root, 'again'), 'again')).rejects.toThrow('is not empty');
});

test('what is no file of a trace is not packed, and what cannot be packed leaves nothing', async () => {
  const other = join(root, 'other');
  mkdirSync(join(other, 'blobs', 'ab'), { recursive: true });
  writeFileSync(join(other, 'manifest.json'), FILES['manifest.json']!);
  writeFileSync(join(other, 'notes.txt'), 'not of the trace');
  expect(await pack('few.tar.br', other)).toMatchObject({ files: 1 });
  symlinkSync('/etc/passwd', join(other, BLOB));
  await expect(pack('link.tar.br', other)).rejects.toThrow(`trace/${BLOB}: is no file`);
  await expect(pack('none.tar.br', join(root, 'nowhere'))).rejects.toThrow(TraceError);
  await expect(packTrace({ directory: other, shown: 'o', output: '/dev/null', shownOutput: 'n' })).rejects.toThrow(
    TraceError,
  );
  expect(readdirSync(root).filter((name) => /\.part|^link|^none/.test(name))).toEqual([]);
});

describe('a file that is no packed trace is one error that says where, and leaves nothing', () => {
  const entry = (name: string, bytes = Buffer.alloc(0), said = bytes.length): Buffer =>
    Buffer.concat([tarHead({ name, bytes: said }), bytes, Buffer.alloc(tarPadding(bytes.length))]);
  const END = Buffer.alloc(2 * TAR_BLOCK);
  const linked = (): Buffer => {
    const head = tarHead({ name: BLOB, bytes: 0 });
    head.write('2', 156);
    const sum = head.reduce((all, byte, i) => all + (i >= 148 && i < 156 ? 0x20 : byte), 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\x00 `, 148);
    return head;
  };
  const refused = async (file: Buffer, most?: number): Promise<string> => {
    const name = `hostile-${made++}`;
    writeFileSync(join(root, name), file);
    mkdirSync(join(root, `${name}-in`));
    return unpackTrace(join(root, name), 'f', join(root, `${name}-in`), most).then(
      () => 'unpacked',
      (error: unknown) => (error instanceof TraceError ? error.message : `no TraceError: ${String(error)}`),
    );
  };

  test.each<[string, () => Buffer, string]>([
    ['another directory', () => entry('../x'), '"../x" is no file of a trace'],
    ['an absolute path', () => entry('/etc/passwd'), 'is no file of a trace'],
    ['a path in a path', () => entry(`pid-1/../../events-0001.bin`), 'is no file of a trace'],
    ['a name that ends in a line', () => entry('manifest.json\n'), 'is no file of a trace'],
    ['a file twice', () => Buffer.concat([entry('README.md'), entry('README.md')]), 'README.md is in it twice'],
    ['a link', linked, 'at byte 0 of the archive: no file of an archive begins here'],
    ['another archive', () => Buffer.alloc(TAR_BLOCK, 'x'), 'at byte 0 of the archive: no file'],
    ['an archive without its end', () => entry('README.md'), 'at byte 512 of the archive: it ends early'],
    ['a file without its end', () => entry(BLOB, Buffer.alloc(0), 100), 'it ends early'],
    ['more behind the end', () => Buffer.concat([END, entry('README.md')]), 'at byte 1024 of the archive: no file'],
  ])('%s', async (_, archive, message) => {
    expect(await refused(brotliCompressSync(archive()))).toContain(message);
  });

  test('what is not brotli, ends early, or would be too large', async () => {
    expect(await refused(Buffer.from('PK\x03\x04 not brotli at all'))).toContain('f: is not compressed with brotli');
    const whole = readFileSync(join(root, 'one.tar.br'));
    for (let end = 0; end < whole.length; end += 97)
      expect(await refused(whole.subarray(0, end))).toMatch(/ends early/);
    const bomb = brotliCompressSync(Buffer.concat([entry(BLOB, Buffer.alloc(900_000)), entry('README.md'), END]));
    expect(await refused(bomb, 800_000)).toContain('would have more than 800000 bytes');
    const many = Buffer.concat([entry(BLOB, Buffer.alloc(600_000)), entry('README.md', Buffer.alloc(600_000)), END]);
    expect(await refused(brotliCompressSync(many), 800_000)).toContain('it has more than 800000 bytes');
  });

  test('damage anywhere is a TraceError, or other contents', async () => {
    const whole = readFileSync(join(root, 'one.tar.br'));
    const archive = brotliDecompressSync(whole);
    for (let at = 0; at < TAR_BLOCK; at += 3) {
      const head = Buffer.from(archive);
      head[at]! ^= 0xff;
      const packed = Buffer.from(whole);
      packed[(at * 31) % packed.length]! ^= 1 << (at % 8);
      for (const file of [brotliCompressSync(head, FAST), packed])
        expect(await refused(file)).not.toMatch(/^no TraceError/);
    }
  });

  test('nothing is left where it should have been', async () => {
    writeFileSync(join(root, 'bad'), brotliCompressSync(entry('README.md')));
    await expect(unpackTo(join(root, 'bad'), 'bad', join(root, 'out'), 'out')).rejects.toThrow(TraceError);
    await expect(unpackTo(join(root, 'nowhere'), 'nowhere', join(root, 'out'), 'out')).rejects.toThrow('no such file');
    expect([existsSync(join(root, 'out')), readdirSync(root).filter((name) => /^out/.test(name))]).toEqual([false, []]);
  });
});
