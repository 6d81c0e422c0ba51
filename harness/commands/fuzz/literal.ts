/** Numbers as MLIR writes them. */
import { type HostArray, reader } from '../../knowledge/numerics/array.ts';
import { decode } from '../../knowledge/numerics/codec.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { isComplex, isFloat } from './facts.ts';

const INFINITIES: Readonly<Record<string, [string, string]>> = {
  f16: ['0x7C00', '0xFC00'],
  bf16: ['0x7F80', '0xFF80'],
  f32: ['0x7F800000', '0xFF800000'],
  f64: ['0x7FF0000000000000', '0xFFF0000000000000'],
};

/** A scalar as it is written in `dense<>`. */
export function literal(name: string, value: string): string {
  if (name === 'pred') return value === '1' || value === 'true' ? 'true' : 'false';
  if (isFloat(name)) {
    const infinite = INFINITIES[name];
    if (value === 'inf') return infinite![0];
    if (value === '-inf') return infinite![1];
    return /[.e]/.test(value) ? value.replace(/^(-?\d+)e/, '$1.0e') : `${value}.0`;
  }
  if (isComplex(name)) {
    const match = /^(-?[\d.]+)([+-][\d.]+)i$/.exec(value);
    const real = dtype(name).component!.name;
    return match
      ? `(${literal(real, match[1]!)}, ${literal(real, match[2]!.replace('+', ''))})`
      : `(${literal(real, value)}, 0.0)`;
  }
  return value;
}

const written = (value: ReturnType<typeof decode>): string =>
  typeof value === 'object'
    ? `${written(value.re)}${written(value.im).startsWith('-') ? '' : '+'}${written(value.im)}i`
    : Object.is(value, -0)
      ? '-0'
      : String(value);

/** An array as nested lists. */
export function nested({ dtype: type, shape, bytes }: HostArray): string {
  const read = reader({ dtype: type, shape, bytes });
  let next = 0;
  const list = (depth: number): string =>
    depth === shape.length
      ? literal(type.name, written(decode(type, read(next++))))
      : `[${Array.from({ length: shape[depth]! }, () => list(depth + 1)).join(', ')}]`;
  return list(0);
}
