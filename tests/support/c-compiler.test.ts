import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildKey, CompileError, cached, compile, findCompiler } from './c-compiler.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-compiler-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

it('reports which compilers it tried if there is none', async () => {
  await expect(findCompiler(['/no/such/cc', '/no/such/clang'])).rejects.toThrow(
    /^no C compiler: tried \/no\/such\/cc, \/no\/such\/clang; install gcc or clang .*set CC$/,
  );
});

it("includes the compiler's output", async () => {
  const source = join(directory, 'invalid.c');
  writeFileSync(source, 'int main(void) { return no_such_variable; }\n');
  const failure = compile([source, '-o', join(directory, 'invalid')]);
  await expect(failure).rejects.toBeInstanceOf(CompileError);
  await expect(failure).rejects.toThrow(/no_such_variable/);
});

it('builds once for a key, and again for another', async () => {
  const source = join(directory, 'source');
  const product = join(directory, 'product');
  let builds = 0;
  const make = (text: string) => {
    writeFileSync(source, text);
    return cached(product, buildKey([source], ['flag']), (target) => {
      builds += 1;
      writeFileSync(target, readFileSync(source));
    });
  };
  expect([await make('one'), await make('one')]).toEqual([product, product]);
  expect(builds).toBe(1);
  await make('two');
  expect(builds).toBe(2);
  expect(readFileSync(product, 'utf8')).toBe('two');
});

it('forgets a failed build', async () => {
  const product = join(directory, 'second-try');
  const key = buildKey([], ['key']);
  await expect(
    cached(product, key, () => {
      throw new CompileError('no chance');
    }),
  ).rejects.toThrow('no chance');
  await cached(product, key, (target) => writeFileSync(target, 'made'));
  expect(readFileSync(product, 'utf8')).toBe('made');
});
