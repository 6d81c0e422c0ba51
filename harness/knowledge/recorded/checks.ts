/** What the checks of StableHLO's own tests mean, as its reference interpreter judges them. */

/** What a check allows. */
export interface Tolerance {
  /** Steps of the type between the recorded value and the result. */
  ulp?: number;
  /** Absolute difference. */
  atol?: number;
  /** Where it comes from, for reports. */
  source: string;
}

/** The forms of a check: an operation of the dialect `check`, or a custom call of the same name. */
type Form = 'operation' | 'call';

/** Attributes of a check that were found in the text. */
export type CheckAttributes = Readonly<Partial<Record<(typeof CHECK_ATTRIBUTES)[number], number>>>;

export const CHECK_ATTRIBUTES = ['tolerance', 'max_ulp_difference', 'min_ulp_difference'] as const;

const exact = (name: string): Tolerance => ({ ulp: 0, source: `StableHLO's ${name}: equal` });

const absolute = (name: string, atol: number): Tolerance => ({
  atol,
  source: `StableHLO's ${name}: an absolute difference of ${atol}`,
});

const steps = (name: string, ulp: number): Tolerance => ({ ulp, source: `StableHLO's ${name}: ${ulp} ULP` });

const CHECKS: Readonly<
  Record<string, (form: Form, attributes: CheckAttributes, isFloat: boolean) => Tolerance | undefined>
> = {
  'check.expect_eq': () => exact('check.expect_eq'),
  'check.expect_eq_const': () => exact('check.expect_eq_const'),
  'check.expect_almost_eq': (form, { tolerance }) =>
    absolute('check.expect_almost_eq', tolerance ?? (form === 'call' ? 1e-3 : 1e-4)),
  'check.expect_almost_eq_const': (_, { tolerance }) => absolute('check.expect_almost_eq_const', tolerance ?? 1e-4),
  'check.expect_close': (form, { max_ulp_difference: most, min_ulp_difference: least = 0 }) =>
    least > 0 ? undefined : steps('check.expect_close', most ?? (form === 'call' ? 3 : 1)),
  'check.eq': (_form, _attributes, isFloat) => (isFloat ? absolute('check.eq', 1e-4) : exact('check.eq')),
};

/** Names of the checks that are understood. */
export const CHECK_NAMES = Object.keys(CHECKS);

/** What a check allows; undefined if it is not understood. */
export const toleranceOf = (
  name: string,
  form: Form,
  attributes: CheckAttributes,
  isFloat: boolean,
): Tolerance | undefined => (Object.hasOwn(CHECKS, name) ? CHECKS[name]!(form, attributes, isFloat) : undefined);

/**
 * Operands that must be constants, by operation: a compiler has to know them, because the shape of the result, or the window
 * of a convolution, follows from them. Negative positions count from the end.
 */
export const STATIC_OPERANDS: Readonly<Record<string, readonly number[]>> = {
  'stablehlo.dynamic_broadcast_in_dim': [1],
  'stablehlo.dynamic_conv': [2],
  'stablehlo.dynamic_gather': [2],
  'stablehlo.dynamic_iota': [0],
  'stablehlo.dynamic_pad': [2, 3, 4],
  'stablehlo.dynamic_reshape': [1],
  'stablehlo.real_dynamic_slice': [1, 2, 3],
  'stablehlo.rng': [2],
  'chlo.dynamic_reshape': [1],
};

/** What only StableHLO's interpreter can run, and why no plugin is asked to. */
export const ONLY_INTERPRETER: Readonly<Record<string, string>> = {
  'interpreter.run_parallel': 'it runs several programs at the same time, as processes that only the interpreter has',
  'interpreter.probe': 'it writes a file while it runs, which only the interpreter does',
  'interpreter.print': 'it prints while it runs, which only the interpreter does',
  'check.expect_serialized_eq': 'it reads a file that the interpreter wrote',
};
