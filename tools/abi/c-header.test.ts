import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../harness/abi/abi.ts';
import { cHeader, layoutAssertions } from './c-header.ts';

const compiler = process.env.CC ?? 'cc';
const works = spawnSync(compiler, ['--version']).status === 0;
const missing = works ? '' : ` [skipped: no C compiler; ${compiler} does not run]`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pjrt-header-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(source: string, flags: string[]): { status: number | null; stderr: string } {
  const file = join(folder, 'check.c');
  writeFileSync(file, source);
  const { status, stderr } = spawnSync(compiler, [
    '-fsyntax-only',
    '-Wall',
    '-Wextra',
    '-pedantic',
    '-Werror',
    ...flags,
    file,
  ]);
  return { status, stderr: stderr.toString() };
}

function assertions(minor: number): string {
  writeFileSync(join(folder, 'pjrt_c_api.h'), cHeader(Abi.at(minor)));
  const abi = Abi.at(minor);
  return layoutAssertions(
    abi.structNames.map((name) => abi.struct(name)),
    'pjrt_c_api.h',
  );
}

describe(`the generated header${missing}`, () => {
  it.skipIf(!works).each([OLDEST_MINOR, 45, 60, 81, 105, NEWEST_MINOR])(
    'has the layouts of 0.%i in C and C++',
    (minor) => {
      const source = assertions(minor);
      expect(compile(source, ['-std=c11'])).toEqual({ status: 0, stderr: '' });
      expect(compile(source, ['-x', 'c++', '-std=c++17', '-Wno-invalid-offsetof'])).toEqual({ status: 0, stderr: '' });
    },
  );

  it.skipIf(!works)('is valid C99', () => {
    assertions(NEWEST_MINOR);
    expect(compile('#include "pjrt_c_api.h"\n', ['-std=c99'])).toEqual({ status: 0, stderr: '' });
  });

  it.skipIf(!works)('is checked by assertions that can fail', () => {
    const source = assertions(NEWEST_MINOR).replace('offsetof(struct PJRT_Api, PJRT_Client_Create) ==', '$& 1 +');
    const { status, stderr } = compile(source, ['-std=c11']);
    expect(status).toBe(1);
    expect(stderr).toContain('offset PJRT_Api.PJRT_Client_Create');
  });
});

it('declares sizes as the version itself did, mistakes included', () => {
  expect(cHeader(Abi.at(60))).toContain('#define PJRT_Plugin_Attributes_Args_STRUCT_SIZE ((size_t)24)');
  expect(cHeader(Abi.at(72))).toContain('#define PJRT_Plugin_Attributes_Args_STRUCT_SIZE ((size_t)32)');
});
