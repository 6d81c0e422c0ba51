import type { OptionType, ProbeOption } from '../../suite/probe-description.ts';
import type { CaseContext } from '../steps/context.ts';
import type { Probe } from '../steps/steps.ts';

declare const VALUE: unique symbol;

/** An option of a probe, and the type that its value then has. */
export interface Option<T> extends ProbeOption {
  [VALUE]?: T;
}

/** What the options of a probe are when it runs. */
export type Values<O> = { [K in keyof O]: O[K] extends Option<infer T> ? T : never };

/** What a probe with some options does. */
export type Run<O> = (context: CaseContext, options: Values<O>) => void | Promise<void>;

/** A probe that says what it is called and what it takes. Its doc comment says what it checks. */
export interface DescribedProbe extends Probe {
  probe: string;
  takes: Readonly<Record<string, ProbeOption>>;
}

/**
 * Makes a check the probe of a name. `npm run docs` then adds it to the registry.
 * @param takes its options, which are checked when suites are loaded
 */
export function probe<O extends Record<string, Option<unknown>>>(name: string, takes: O, run: Run<O>): DescribedProbe {
  const options = Object.entries(takes);
  const defaults = Object.fromEntries(options.map(([option, { default: value }]) => [option, value]));
  const functions = options.flatMap(([option, { is }]) => (is === 'function' ? option : []));
  const programs = options.flatMap(([option, { is }]) => (is === 'program' ? option : []));
  const check: Probe = (context, given) => {
    // Throws for one that is not in this version; whether the plugin has it is found out by calling.
    for (const option of functions) context.api.abi.slotOffset(given[option] as string);
    const files = Object.fromEntries(
      programs.flatMap((option) => (given[option] ? [[option, context.programOf(given[option] as string)]] : [])),
    );
    return run(context, { ...defaults, ...given, ...files } as Values<O>);
  };
  return Object.assign(check, { probe: name, takes });
}

/** A probe of several checks, of which its option `check` says one. They have the other options in common. */
export function checks<O extends Record<string, Option<unknown>>, C extends string>(
  name: string,
  takes: O,
  all: Readonly<Record<C, Run<O>>>,
): DescribedProbe {
  const check = oneOf(...(Object.keys(all) as C[]));
  return probe(name, { check, ...takes }, (context, options) => all[options.check as C](context, options as Values<O>));
}

const option = <T>(is: OptionType): Option<T> => ({ is });

export const text = option<string>('text');
export const number = option<number>('number');
export const flag = option<boolean>('flag');
/** A function of the C API. */
export const fn = option<string>('function');
/** A committed program, or one in a file beside the suite. */
export const program = option<string>('program');
export const elementType = option<string>('element type');

/** One of a few words, or numbers. */
export const oneOf = <const T extends readonly (string | number)[]>(...words: T): Option<T[number]> =>
  option({ oneOf: words });

/** A list of values. */
export const list = <T>({ is }: Option<T>): Option<T[]> => option({ listOf: is });

/** An option that may be left out, with what it then is. */
export function optional<T>(of: Option<T>): Option<T | undefined>;
export function optional<T>(of: Option<T>, otherwise: T): Option<T>;
export function optional<T>({ is }: Option<T>, otherwise?: T): Option<T | undefined> {
  return { is, optional: true, ...(otherwise === undefined ? {} : { default: otherwise }) };
}
