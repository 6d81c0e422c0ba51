/** MLIR's name of an element type in the harness's spelling: `ui8` is u8, `i1` pred, `f8E4M3FN` f8e4m3fn. */
export function elementType(type: string): string {
  if (type === 'i1') return 'pred';
  if (type === 'complex<f32>') return 'c64';
  if (type === 'complex<f64>') return 'c128';
  return type
    .replace(/^ui(?=\d)/, 'u')
    .replace(/^i(?=\d)/, 's')
    .toLowerCase();
}
