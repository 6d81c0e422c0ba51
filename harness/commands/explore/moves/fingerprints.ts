/** Fingerprints of programs, for plugins that have them. */
import type { RawStep } from '../../../suite/raw.ts';
import type { Move } from '../move.ts';
import type { ExecutableThing, Thing } from '../world.ts';

const FINGERPRINT = 'PJRT_Executable_Fingerprint';
const isLoaded = (thing: Thing): thing is ExecutableThing => thing.kind === 'executable' && thing.state === 'live';
const handleOf = (loaded: Thing, as: string): RawStep => ({
  call: 'PJRT_LoadedExecutable_GetExecutable',
  with: { loaded_executable: `$${loaded.id}` },
  as: { [as]: 'executable' },
});

/** Compares the fingerprints of two executables. */
const compared = (one: string, other: string, equal: boolean): RawStep[] => [
  { call: FINGERPRINT, with: { executable: `$${one}` }, as: { [`${one}_print`]: 'executable_fingerprint' } },
  { expect: { actual: `$${one}_print`, nonEmpty: true }, precondition: 'executables have fingerprints' },
  {
    call: FINGERPRINT,
    with: { executable: `$${other}` },
    expect: { executable_fingerprint: { [equal ? 'equals' : 'not']: `$${one}_print` } },
    breaks: [equal ? 'EXE-FPR-001' : 'EXE-FPR-002'],
  },
];

/** A program as text, whose name and signature are always the same. */
const program = (constant: number, expression: string): string =>
  [
    'module @same_name { func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {',
    `%cst = stablehlo.constant dense<${constant}.000000e+00> : tensor<4xf32>`,
    `%0 = stablehlo.${expression} : tensor<4xf32>`,
    'return %0 : tensor<4xf32> } }',
  ].join(' ');

/** In what two such programs differ. */
const TWINS: Readonly<Record<string, (constant: number) => readonly [string, string]>> = {
  nothing: (n) => [program(n, 'add %arg0, %cst'), program(n, 'add %arg0, %cst')],
  'a constant': (n) => [program(n, 'add %arg0, %cst'), program(n + 1, 'add %arg0, %cst')],
  'an operation': (n) => [program(n, 'add %arg0, %cst'), program(n, 'multiply %arg0, %cst')],
  'the order of operands': (n) => [program(n, 'subtract %arg0, %cst'), program(n, 'subtract %cst, %arg0')],
};

export const FINGERPRINTS: Readonly<Record<string, Move>> = {
  // Two programs have two fingerprints, unless the plugin has none.
  'compare fingerprints': {
    weight: 1,
    needs: {
      one: isLoaded,
      other: (thing, { one }) => isLoaded(thing) && thing.program !== (one as ExecutableThing).program,
    },
    play: ({ id, things }) => [
      handleOf(things.one!, `${id}_one`),
      handleOf(things.other!, `${id}_other`),
      ...compared(`${id}_one`, `${id}_other`, false),
    ],
  },
  'compare twins': {
    weight: 1,
    draw: (random) => ({ by: random.pick(Object.keys(TWINS)), constant: random.between(2, 1e6) }),
    distinguishes: ['by'],
    play: ({ id, settings }) => {
      const texts = TWINS[settings.by as string]!(settings.constant as number);
      const names = [`${id}_one`, `${id}_other`];
      return [
        ...texts.map((text, i) => ({
          compile: { as: `${names[i]}_loaded`, executable: names[i], text },
          precondition: 'programs compile from text',
        })),
        ...compared(names[0]!, names[1]!, settings.by === 'nothing'),
        ...names.map((name) => ({ destroy: `$${name}_loaded` })),
      ];
    },
  },
};
