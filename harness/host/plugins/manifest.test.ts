import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { DTYPES } from '../../knowledge/numerics/dtypes.ts';
import type { Manifest } from '../../model/plugin.ts';
import { parseConfig } from './config-file.ts';
import { knownFrom, readKnownManifests, shippedPlugins } from './known.ts';
import { toManifest } from './manifest.ts';

const read = (text: string, file = 'm.yaml'): Manifest => toManifest(parseConfig(file, text));

describe('manifest files', () => {
  it('have defaults', () => {
    expect(read('library: ./a.so\n', 'dir/pjrt-plugin-foo.yaml')).toMatchObject({
      name: 'foo',
      library: './a.so',
      env: {},
      options: {},
      serial: false,
      deviations: [],
    });
    expect(read('numerics: relaxed\n').numerics).toBe('relaxed');
    expect(read('{}', 'dir/other.json').name).toBe('other');
  });

  it('type create options exactly, also beyond the range of a double', () => {
    const { options } = read(
      '{"options": {"i": 9007199254740993, "l": [1, -2], "f": 1.0, "e": 1e2, "b": true, "s": "1"}}',
      'm.json',
    );
    expect(options).toEqual({
      i: { kind: 'int64', value: 9007199254740993n },
      l: { kind: 'int64_list', value: [1n, -2n] },
      f: { kind: 'float', value: 1 },
      e: { kind: 'float', value: 100 },
      b: { kind: 'bool', value: true },
      s: { kind: 'string', value: '1' },
    });
  });

  it('may use the keys of JAX and of the RFC', () => {
    const jax = read('{"library_path": "x.so", "create_options": {"n": 1}}', 'm.json');
    expect(jax).toMatchObject({ library: 'x.so', options: { n: { kind: 'int64', value: 1n } } });
    expect(read('{"config_values": {"n": 1}}', 'm.json').options).toEqual(jax.options);
    expect(() => read('{"library": "a.so",\n "library_path": "b.so"}', 'm.json')).toThrow(
      'm.json:2:2: "library_path" and "library" mean the same',
    );
  });

  it('have compile options, typed like those for the compiler', () => {
    const text = 'compileOptions: {style: plain, overrides: {level: 2, scale: 1.0, fast: true, mode: "3"}}\n';
    expect(read(text).compileOptions).toEqual({
      style: 'plain',
      overrides: {
        level: { kind: 'int64', value: 2n },
        scale: { kind: 'float', value: 1 },
        fast: { kind: 'bool', value: true },
        mode: { kind: 'string', value: '3' },
      },
    });
    expect(read('{}').compileOptions).toBeUndefined();
  });

  it('have declarations', () => {
    const declares = { dtypes: ['f32'], ops: ['dot_general'], extensions: ['Layouts'], memoryKinds: ['device'] };
    expect(read(JSON.stringify({ declares }), 'm.json').declares).toEqual(declares);
    expect(read('{}').declares).toBeUndefined();
  });

  it('may declare every element type', () => {
    const dtypes = DTYPES.map(({ name }) => name);
    expect(read(JSON.stringify({ declares: { dtypes } }), 'm.json').declares).toEqual({ dtypes });
  });

  it.each([
    [
      'm.yaml',
      'compileOptions:\n  style: fast\n',
      'm.yaml:2:10: compileOptions.style: unknown value, expected one of jax, plain',
    ],
    [
      'm.yaml',
      'compileOptions:\n  overrides:\n    a: [1]\n',
      'm.yaml:3:8: compileOptions.overrides.a: wrong type, expected text or a number',
    ],
    [
      'm.yaml',
      'compileOptions:\n  overides: {}\n',
      'm.yaml:2:3: compileOptions: unknown key "overides"; did you mean "overrides"?',
    ],
    [
      'm.yaml',
      'compileOptions:\n  overrides:\n    a: 9223372036854775808\n',
      'm.yaml:3:8: option "a": 9223372036854775808 does not fit in int64',
    ],
    [
      'm.yaml',
      'declares:\n  dtypes: [f32, float]\n',
      'm.yaml:2:17: declares.dtypes[1]: unknown value, expected one of pred',
    ],
    ['m.yaml', 'declares:\n  ops: [stablehlo.add]\n', 'm.yaml:2:9: declares.ops[0]: wrong form, expected a match of ^'],
    ['m.yaml', 'declares:\n  types: []\n', 'm.yaml:2:3: declares: unknown key "types"'],
    ['m.yaml', 'name: a\nlibary: x.so\n', 'm.yaml:2:1: unknown key "libary"; did you mean "library"?'],
    ['m.yaml', 'env:\n  A: 1\n', 'm.yaml:2:6: env.A: wrong type, expected text'],
    ['m.yaml', 'deadlines:\n  call: 0\n', 'm.yaml:2:9: deadlines.call: too small, expected at least 1'],
    ['m.yaml', `name: ${'x'.repeat(65)}\n`, 'm.yaml:1:7: name: too long, expected at most 64 characters'],
    ['m.yaml', 'numerics: fast\n', 'm.yaml:1:11: numerics: unknown value, expected one of strict, standard, relaxed'],
    ['m.yaml', 'serial: maybe\n', 'm.yaml:1:9: serial: wrong type, expected true or false'],
    ['m.yaml', 'options:\n  - a\n', 'm.yaml:2:3: options: wrong type, expected a mapping'],
    [
      'm.yaml',
      'options:\n  a: 9223372036854775808\n',
      'm.yaml:2:6: option "a": 9223372036854775808 does not fit in int64',
    ],
    ['m.yaml', 'deviations:\n  - cases: a\n', 'm.yaml:2:5: deviations[0]: missing key "requirement"'],
    ['m.yaml', 'name: "a\n', 'm.yaml:2:1: Missing closing "quote'],
    ['m.yaml', 'name: a\nname: b\n', 'm.yaml:2:1: Map keys must be unique'],
    ['m.yaml', '"a\\nb": 1\n', 'm.yaml:1:1: unknown key "a\\nb"'],
    ['m.yaml', '- a\n', 'm.yaml:1:1: expected a mapping of keys'],
    ['m.yaml', '', 'm.yaml:1:1: expected a mapping of keys'],
    ['m.json', '{\n  "name": "a",\n}\n', 'm.json:3:1: not valid JSON: unexpected "}"'],
    ['m.json', '{"name": "a"', 'm.json:1:13: not valid JSON: unexpected end of the file'],
    [
      'm.json',
      '{"create_options": {"a": null}}',
      'm.json:1:26: create_options.a: wrong type, expected text or a number or true or false or a list',
    ],
    ['m.yaml', 'env:\n  A-B: x\n', 'm.yaml:2:3: env: wrong name "A-B", expected a match of ^'],
  ])('reject an invalid %s with its location', (file, text, message) => {
    expect(() => read(text, file)).toThrow(message);
  });

  it('reject a library path that leaves the wheel', () => {
    const text = `package: {name: a, version: '1', platforms: {linux-x64: {wheel: a-1-py3-none-any.whl, python: '3.12', library: ../x.so, sha256: ${'0'.repeat(64)}, sizeBytes: 1}}}`;
    expect(() => read(text)).toThrow('library');
  });
});

describe('manifests that ship', () => {
  it('match a valid schema, are named after their files, and are unambiguous', async () => {
    const schema: object = JSON.parse(readFileSync(packagePath('schemas', 'plugin-manifest.schema.json'), 'utf8'));
    expect(new Ajv2020({ allowUnionTypes: true }).validateSchema(schema)).toBe(true);
    const manifests = await readKnownManifests();
    expect(manifests.map(({ name }) => name)).toEqual(manifests.map(({ file }) => basename(file, '.yaml')));
    const libraryNames = manifests.flatMap((manifest) => manifest.libraryNames);
    expect(new Set(libraryNames).size).toBe(libraryNames.length);
    for (const manifest of manifests) {
      expect([manifest.name, manifest.source.length > 0, manifest.notes !== undefined]).toEqual([
        manifest.name,
        true,
        true,
      ]);
      expect(readFileSync(manifest.file, 'utf8')).toMatch(/^# yaml-language-server: \$schema=/);
      if (manifest.package === undefined) continue;
      for (const { wheel, library } of Object.values(manifest.package.platforms)) {
        expect(wheel.startsWith(`${manifest.package.name.replaceAll('-', '_')}-${manifest.package.version}-`)).toBe(
          true,
        );
        // A name that several builds share belongs to one manifest; the others are recognized by their hash alone.
        expect(libraryNames).toContain(basename(library));
      }
    }
  });

  it('are the same when read one at a time', async () => {
    const manifests = await readKnownManifests();
    const [lazy, all] = [await shippedPlugins(), knownFrom(manifests)];
    expect(lazy.names()).toEqual(all.names());
    for (const manifest of manifests) {
      expect(lazy.named(manifest.name.toUpperCase())).toEqual(manifest);
      for (const library of manifest.libraryNames) {
        expect(lazy.recognise(`/x/${library}`, 'f'.repeat(64))).toEqual({ manifest, by: 'file-name' });
      }
      for (const { sha256 } of Object.values(manifest.package?.platforms ?? {})) {
        expect(lazy.recognise('/x/renamed.so', sha256)).toEqual({ manifest, by: 'sha256' });
      }
    }
    expect(lazy.recognise('/x/other.so', 'f'.repeat(64))).toBeUndefined();
  });
});
