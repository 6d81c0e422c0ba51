import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileKind } from './file-kind.ts';
import { loadProgram } from './programs.ts';

const TEXT = 'module {\n  func.func @main() { return }\n}\n';
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
/** A length-delimited field of a protocol buffer. */
const field = (id: number, content: string): string => String.fromCharCode(8 * id + 2, content.length) + content;

test.each<[string, Uint8Array, RegExp]>([
  ['nothing', bytes(''), /empty/],
  ['gzip', gzipSync(TEXT), /gzip/],
  ['UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), /UTF-16/],
  ['a byte order mark', Buffer.from(`\ufeff${TEXT}`), /byte order mark/],
  ['a ZIP archive', bytes('PK\x03\x04\x14'), /torch\.export/],
  ['a pickle', bytes('\x80\x04\x95\x0b'), /pickle/],
  ['HLO text', bytes('// from XLA\nHloModule jit_f\n'), /HLO text/],
  ['an HLO proto', bytes(field(1, 'jit_f') + field(2, 'main') + field(3, 'xyz')), /HLO module/],
  ['JSON', bytes('{"a": 1}'), /JSON/],
  ['a script', bytes('import jax\n'), /script/],
  ['a pointer', bytes('version https://git-lfs.github.com/spec/v1\n'), /LFS/],
  [
    'bytes of jax.export',
    Buffer.concat([Buffer.alloc(40), loadProgram('misc/add_one').artifact('1.13.0')]),
    /artifact in it, at byte 40/,
  ],
])('%s', (_, content, what) => {
  expect(fileKind(content)?.what).toMatch(what);
});

test('a program is none of these', () => {
  expect(fileKind(bytes(TEXT))).toBeUndefined();
  expect(fileKind(bytes('// a comment\n#loc = loc(unknown)\nmodule {}'))).toBeUndefined();
  expect(fileKind(bytes('{-# dialect_resources: {} #-}\nmodule {}'))).toBeUndefined();
  expect(fileKind(bytes('\n\x00\x01'))).toBeUndefined();
});
