import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { fromValues } from './array.ts';
import { bound, boundedOps, PROFILES, ulpBounds } from './bounds.ts';
import { dtype } from './dtypes.ts';
import { loadTable } from './tables.ts';

describe('bounds', () => {
  it('every operation has a source, and each profile allows at least what the tighter one does', () => {
    for (const op of boundedOps()) {
      for (const type of ['f8e4m3fn', 'bf16', 'f16', 'f32', 'f64', 'c64']) {
        const [strict, standard, relaxed] = PROFILES.map((p) => bound(op, type, p));
        expect(strict!.source.length).toBeGreaterThan(5);
        expect(strict!.ulp).toBeLessThanOrEqual(standard!.ulp);
        expect(standard!.ulp).toBeLessThanOrEqual(relaxed!.ulp);
        expect(strict!.atol ?? 0).toBeLessThanOrEqual(standard!.atol ?? 0);
        expect(standard!.atol ?? 0).toBeLessThanOrEqual(relaxed!.atol ?? 0);
      }
    }
  });

  it('every bounded arithmetic operation has an expected table', () => {
    const unary = ['sine', 'exponential', 'log', 'sqrt', 'tanh', 'cbrt', 'logistic', 'floor', 'negate'];
    for (const op of unary) expect(loadTable(`unary/${op}_f32`).op).toBe(op);
    expect(boundedOps()).toEqual(expect.arrayContaining(unary));
  });

  it('are looked up by width: f32 by operation, narrow types by one rounding', () => {
    expect(bound('sine', 'f32', 'standard')).toMatchObject({ ulp: 4, atol: 2 ** -21 });
    expect(bound('sine', 'f64', 'standard')).toMatchObject({ ulp: 4, atol: 2 ** -50 });
    expect(bound('sine', 'bf16', 'strict')).toMatchObject({ ulp: 1 });
    expect(bound('add', 'bf16', 'strict').ulp).toBe(0);
    expect(bound('divide', 'f8e5m2', 'relaxed').ulp).toBe(2);
    expect(bound('tanh', 'f32', 'strict').range).toEqual([-1, 1]);
    expect(bound('add', 's32', 'relaxed').ulp).toBe(0);
    expect(bound('maximum', 'f32', 'relaxed').ulp).toBe(0);
  });

  it('exp may have a larger error as |x| grows', () => {
    const x = fromValues(dtype('f32'), [3], [0, -10.3, 80]);
    expect([...ulpBounds(bound('exponential', 'f32', 'standard'), x)!]).toEqual([3, 23, 163]);
    expect(ulpBounds(bound('sine', 'f32', 'standard'), x)).toBeUndefined();
  });

  it('suites of the package refer to bounds by name, so that all of them follow the profile', () => {
    const directory = packagePath('suites');
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.yaml'),
    );
    expect(files.length).toBeGreaterThan(50);
    // How far random bits may be from fair ones is no matter of accuracy.
    const inline = files.filter((file) =>
      /compare: *\{(?![^}]*standard deviations)[^}]*\b(ulp|atol):/.test(readFileSync(join(directory, file), 'utf8')),
    );
    expect(inline).toEqual([]);
  });

  it('unknown names get suggestions', () => {
    expect(() => bound('sin', 'f32', 'strict')).toThrow(/did you mean "(sign|sine)"/);
    expect(() => bound('sine', 'f32', 'loose' as 'strict')).toThrow(/strict, standard, relaxed/);
  });
});
