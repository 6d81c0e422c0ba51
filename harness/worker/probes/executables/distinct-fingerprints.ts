import type { Call } from '../../pjrt/call.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { readInt64s, textOf } from '../../pjrt/strings.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { ifOffered } from '../../steps/device-format.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { sharedExecutables } from '../../steps/shared-programs.ts';
import { compileText } from '../compile/compile-text.ts';
import { list, number, probe, text } from '../probe.ts';
import { violated } from '../support/checks.ts';

const CALL = 'PJRT_Executable_Fingerprint';
/** An empty fingerprint is none. */
const NONE = '';

interface Known {
  /** Of one of the programs that are given, which all differ. */
  program?: string;
  print: string;
  outputs: string | undefined;
}

/**
 * Compares the fingerprints of programs that differ, each with each, and with those of whatever else is compiled. Of that it is not known
 * whether it computes the same, unless it gives outputs of other types or shapes.
 */
export const distinctFingerprints = probe(
  'distinct-fingerprints',
  { programs: list(text) },
  (context, { programs }) => {
    const others = sharedExecutables(context.client);
    const given = programs.map((program) => [program, compileProgram(context, program)] as const);
    const all = [
      ...given.map(([program, executable]): Known => ({ program, ...known(context, executable) })),
      ...others
        .filter((executable) => !given.some(([, one]) => one.pointer === executable.pointer))
        .map((executable) => known(context, executable)),
    ];
    for (const [i, one] of all.entries())
      for (const other of all.slice(0, i))
        if (one.print !== NONE && one.print === other.print && areDifferent(one, other))
          violated(`two programs have the same fingerprint: ${shown(one)} and ${shown(other)}`, CALL, 'EXE-FPR-002');
  },
);

/**
 * Compares the fingerprints of programs that differ in one number, far behind their beginning: its digits are the same in
 * another order. Of 100 programs, two would share one of 1,024 fingerprints.
 */
export const fingerprintsOfOneShape = probe(
  'fingerprints-of-one-shape',
  { programs: number },
  (context, { programs }) => {
    const seen = new Map<string, string>();
    for (const value of permuted(programs)) {
      const { print } = known(context, compileText(context, Buffer.from(addingText(value))));
      const other = seen.get(print);
      if (print !== NONE && other !== undefined)
        violated(`programs that add ${other} and ${value} have the same fingerprint`, CALL, 'EXE-FPR-002');
      seen.set(print, value);
    }
  },
);

const HALVES = ['1234', '1243', '1324', '1342', '1423', '1432', '2134', '2143', '2314', '2341', '2413', '2431'];

/** Numbers of eight digits, as text. */
const permuted = (count: number): string[] => HALVES.flatMap((high) => HALVES.map((low) => high + low)).slice(0, count);

/** Adds a number to an argument, after more than a kilobyte of constants that nothing uses. */
const addingText = (value: string): string =>
  [
    'module @adding {',
    '  func.func public @main(%arg0: tensor<4xi32>) -> tensor<4xi32> {',
    ...Array.from({ length: 40 }, (_, i) => `    %unused${i} = stablehlo.constant dense<${i}> : tensor<4xi32>`),
    `    %value = stablehlo.constant dense<${value}> : tensor<4xi32>`,
    '    %sum = stablehlo.add %arg0, %value : tensor<4xi32>',
    '    return %sum : tensor<4xi32>',
    '  }',
    '}',
    '',
  ].join('\n');

const areDifferent = (one: Known, other: Known): boolean =>
  (one.program !== undefined && other.program !== undefined) ||
  (one.outputs !== undefined && other.outputs !== undefined && one.outputs !== other.outputs);

const shown = ({ program, outputs }: Known): string => program ?? `one with outputs ${outputs}`;

function known({ api, scope }: CaseContext, loaded: LoadedExecutable): Omit<Known, 'program'> {
  const executable = scope.own(loaded.getExecutable()).pointer;
  const ask = <T>(call: string, read: (call: Call) => T): T | undefined =>
    ifOffered(() => api.invoke(call, { executable }, read));
  const print = ask(CALL, (call) => textOf(call, 'executable_fingerprint'));
  if (print === undefined) throw new NotSupported(`${CALL} is not offered`);
  const outputs = ask('PJRT_Executable_OutputDimensions', (call) => {
    const ranks = readInt64s(call.word('dim_sizes'), call.size('num_outputs'));
    const dims = readInt64s(
      call.word('dims'),
      ranks.reduce((a, b) => a + b, 0),
    );
    return ranks.map((rank) => `[${dims.splice(0, rank)}]`).join(' ');
  });
  return { print, outputs };
}
