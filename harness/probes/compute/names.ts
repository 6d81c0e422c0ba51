/** Probes of this area and what each checks. Pure data: suites are checked against it without loading a plugin. */
export const NAMES: Readonly<Record<string, string>> = {
  'dot-precision': 'A product of matrices is as accurate as sums in f32, whatever their order.',
  'subnormal-operands': 'Subnormal operands are computed with or taken for zero; nothing else comes out.',
};
