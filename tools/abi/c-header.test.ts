import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { cExtensionHeader, cExtensionStructs } from '../../harness/knowledge/abi/c-extension-header.ts';
import { apiParts, cHeader, layoutAssertions } from '../../harness/knowledge/abi/c-header.ts';
import { COMPILER, compilerSays, haveCompiler } from './compiler-check.ts';

const works = haveCompiler();
const missing = works ? '' : ` [skipped: no C compiler; ${COMPILER} does not run]`;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-header-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const STRICT = ['-Wall', '-Wextra', '-pedantic', '-Werror'];
const C11 = [...STRICT, '-std=c11'];
const CXX = [...STRICT, '-x', 'c++', '-std=c++17', '-Wno-invalid-offsetof'];

function assertions(minor: number): string {
  const abi = Abi.at(minor);
  const header = join(directory, `pjrt_c_api_${minor}.h`);
  writeFileSync(header, cHeader(abi));
  const structs = abi.structNames.map((name) => abi.struct(name));
  return layoutAssertions(structs, header, apiParts(abi).enums);
}

describe(`the generated header${missing}`, () => {
  it.skipIf(!works).each([OLDEST_MINOR, 45, 60, 81, 105, NEWEST_MINOR])(
    'has the layouts of 0.%i in C and C++',
    (minor) => {
      const source = assertions(minor);
      expect(compilerSays(source, C11)).toBe('');
      expect(compilerSays(source, CXX)).toBe('');
    },
  );

  it.skipIf(!works)('is valid C99', () => {
    const header = join(directory, 'c99.h');
    writeFileSync(header, cHeader(Abi.at(NEWEST_MINOR)));
    expect(compilerSays(`#include "${header}"\n`, [...STRICT, '-std=c99'])).toBe('');
  });

  it.skipIf(!works)('is checked by assertions that can fail', () => {
    const source = assertions(NEWEST_MINOR);
    const offset = source.replace('offsetof(PJRT_Api, PJRT_Client_Create) ==', '$& 1 +');
    expect(compilerSays(offset, C11)).toContain('offset PJRT_Api.PJRT_Client_Create');
    const value = source.replace('PJRT_Error_Code_INTERNAL ==', '$& 1 +');
    expect(compilerSays(value, C11)).toContain('value PJRT_Error_Code_INTERNAL');
  });

  it.skipIf(!works)('has the extensions beside it', () => {
    const header = join(directory, 'pjrt_c_extensions.h');
    writeFileSync(join(directory, 'pjrt_c_api.h'), cHeader(Abi.at(NEWEST_MINOR)));
    writeFileSync(header, cExtensionHeader('pjrt_c_api.h'));
    const source = layoutAssertions(cExtensionStructs(), header);
    // One upstream callback type takes an empty parameter list, which newer compilers warn of.
    expect(compilerSays(source, C11)).toBe('');
    expect(compilerSays(source, CXX)).toBe('');
  });
});

it('declares sizes as the version itself did, mistakes included', () => {
  expect(cHeader(Abi.at(60))).toContain('#define PJRT_Plugin_Attributes_Args_STRUCT_SIZE ((size_t)24)');
  expect(cHeader(Abi.at(72))).toContain('#define PJRT_Plugin_Attributes_Args_STRUCT_SIZE ((size_t)32)');
});
