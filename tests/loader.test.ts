import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What docs/coexistence.md says of the loader under "What the files show", seen on the loader of this machine. */

const LIBRARY = `inline int& shared() { static int value = VALUE; return value; }
extern "C" int value() { return shared(); }`;

/** Opens libraries in turn as frameworks do, and prints the value of each, and whether the stack is executable. */
const PROGRAM = `#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int, char** paths) {
  while (*++paths) {
    void* library = dlopen(*paths, RTLD_NOW | RTLD_LOCAL);
    if (!library) { puts(dlerror()); continue; }
    printf("%d", reinterpret_cast<int (*)()>(dlsym(library, "value"))());
    FILE* maps = fopen("/proc/self/maps", "r");
    for (char line[4096]; fgets(line, sizeof line, maps);)
      if (strstr(line, "[stack]") && strchr(line, 'x')) printf(" executable stack");
    fclose(maps);
    puts("");
  }
}`;

const COMPILER = process.env.CXX ?? 'g++';

let directory: string;
const compile = (...args: string[]) =>
  execFileSync(COMPILER, args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
const library = (name: string, value: number, ...more: string[]) =>
  compile(
    '-shared',
    '-fPIC',
    `-DVALUE=${value}`,
    '-Wl,-soname,libplugin.so',
    ...more,
    '-o',
    `${name}.so`,
    'library.cc',
  );
const open = (...names: string[]): string[] =>
  execFileSync(
    join(directory, 'program'),
    names.map((name) => `./${name}.so`),
    { cwd: directory, encoding: 'utf8' },
  )
    .trim()
    .split('\n');

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-loader-'));
  writeFileSync(join(directory, 'library.cc'), LIBRARY);
  writeFileSync(join(directory, 'program.cc'), PROGRAM);
  compile('-o', 'program', 'program.cc', '-ldl');
  library('unique-1', 1);
  library('unique-2', 2);
  library('own-1', 1, '-fno-gnu-unique');
  library('own-2', 2, '-fno-gnu-unique');
});
afterAll(() => rmSync(directory, { recursive: true }));

test('symbols of the same names stay apart with RTLD_LOCAL, and so do libraries of one SONAME', () => {
  expect(open('own-1', 'own-2')).toEqual(['1', '2']);
  expect(open('own-2', 'own-1')).toEqual(['2', '1']);
});

test('a symbol with the binding STB_GNU_UNIQUE is that of the first library', () => {
  expect(open('unique-1', 'unique-2')).toEqual(['1', '1']);
  expect(open('unique-2', 'unique-1')).toEqual(['2', '2']);
});

test('a library that needs a SONAME gets the first of this name', () => {
  writeFileSync(join(directory, 'needs.cc'), 'extern "C" int value();\nextern "C" int needed() { return value(); }');
  compile('-shared', '-fPIC', '-o', 'needs.so', 'needs.cc', '-Wl,--no-as-needed', './own-2.so');
  expect(open('own-1', 'own-2', 'needs')).toEqual(['1', '2', '1']);
});

test('a library with an executable stack makes that of the process executable, or is refused since glibc 2.41', () => {
  library('stack', 3, '-fno-gnu-unique', '-z', 'execstack');
  expect(open('own-1', 'stack', 'own-2').join('\n')).toMatch(
    /^1\n(?:3 executable stack\n2 executable stack|.*cannot enable executable stack.*\n2)$/,
  );
});
