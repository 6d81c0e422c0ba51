/** What happens beside everything else, and changes nothing of it. */
import type { Move } from '../move.ts';
import { VECTOR } from '../programs.ts';
import { asData } from '../things.ts';
import { freshData } from './transfers.ts';

/** Programs that no compiler takes. */
const FAILING: Readonly<Record<string, object>> = {
  'wrong text': { text: 'module { this is wrong }' },
  'other types': { program: 'bad/type_mismatch' },
};

/** Checks of cases that sessions cannot express, with what they take and what they are about. */
const CHECKS: Readonly<
  Record<string, { choices: readonly Readonly<Record<string, string | number>>[]; breaks: readonly string[] }>
> = {
  'event-callback-work': {
    choices: ['execute', 'read', 'refused-read', 'destroy', 'copy', 'register'].map((check) => ({ check })),
    breaks: ['EVT-CB-005', 'THR-002', 'BUF-D2H-003'],
  },
  'view-aliasing': {
    choices: ['buffer', 'host'].map((from) => ({ from })),
    breaks: ['BUF-VIEW-001', 'BUF-META-010'],
  },
  'view-callback': {
    choices: ['buffer', 'host'].flatMap((from) => ['destroy', 'delete'].map((end) => ({ from, end, form: 'device' }))),
    breaks: ['BUF-VIEW-002'],
  },
  'view-in-use': {
    choices: [
      { by: 'execution', end: 'destroy' },
      { by: 'execution', end: 'delete' },
      { by: 'reference', end: 'delete' },
    ].flatMap((use) => ['buffer', 'host'].map((from) => ({ ...use, from, form: 'memory' }))),
    breaks: ['BUF-VIEW-002', 'BUF-REF-004'],
  },
  'made-of-zero-copy': { choices: [{}], breaks: ['BUF-CPY-001', 'BUF-CPY-003', 'RUN-OUT-002'] },
  'raw-future': {
    choices: [
      ...['several', 'pages', 'deleted', 'failed'].map((check) => ({ check })),
      { check: 'range', offset: 4099, size: 8191, misaligned: 3 },
    ],
    breaks: ['BUF-RAW-004', 'BUF-RAW-005', 'BUF-RAW-006'],
  },
  'optimized-program': {
    choices: [{ program: 'misc/add_one' }],
    breaks: ['EXE-OPP-001', 'EXE-OPP-002', 'EXE-OPP-005'],
  },
  'dma-map': { choices: [{}], breaks: ['CLI-DMA-001'] },
  'taken-after-use': { choices: ['manager', 'anything'].map((via) => ({ via })), breaks: ['RUN-DON-009'] },
  // Even at the very end of a buffer.
  'raw-copy': {
    choices: [0, 64, 128].map((offset) => ({ check: 'range', count: 32, offset, size: 0 })),
    breaks: ['BUF-RAW-001', 'BUF-RAW-003'],
  },
  'error-contract': {
    choices: ['unknown-device', 'broken-program', 'small-destination', 'broken-executable', 'small-args'].map(
      (from) => ({
        from,
      }),
    ),
    breaks: [
      ...['ERR-GEN-001', 'ERR-CODE-001', 'ERR-MSG-001', 'ERR-MSG-002', 'ERR-MSG-003', 'ERR-PAY-001', 'ERR-PAY-002'],
      ...['ERR-PAY-004', 'ABI-ERRV-001', 'ABI-ERRV-002'],
    ],
  },
  'view-unaligned': { choices: [{}], breaks: ['BUF-VIEW-001', 'BUF-VIEW-006', 'BUF-VIEW-007'] },
};

const check = (probe: string): Move => {
  const { choices, breaks } = CHECKS[probe]!;
  return {
    weight: 0.5,
    draw: (random) => random.pick(choices),
    distinguishes: Object.keys(choices[0]!),
    play: ({ settings }) => [
      { probe, ...(Object.keys(settings).length > 0 ? { with: { ...settings } } : {}), breaks: [...breaks] },
    ],
  };
};

export const ASIDE: Readonly<Record<string, Move>> = {
  ...Object.fromEntries(Object.keys(CHECKS).map((probe) => [probe, check(probe)])),
  'failed-compile': {
    weight: 1,
    draw: (random) => ({ of: random.pick(Object.keys(FAILING)) }),
    play: ({ settings }) => [
      { compile: { ...FAILING[settings.of as string]!, error: 'any' }, breaks: ['CMP-SRC-001'] },
    ],
  },
  'failed-allocation': {
    weight: 0.5,
    draw: (random, _, world) => ({ device: random.below(world.devices) }),
    play: ({ settings }) => [
      {
        call: 'PJRT_Client_CreateUninitializedBuffer',
        with: {
          client: '$client',
          shape_dims: [2 ** 50],
          shape_element_type: { dtype: 'f32' },
          device: `$devices[${settings.device}]`,
        },
        error: 'any',
        precondition: 'a buffer of four pebibytes is refused',
      },
    ],
  },
  'failed-lookup': {
    weight: 1,
    play: () => [
      {
        call: 'PJRT_Client_LookupDevice',
        with: { client: '$client', id: 2_000_000_000 },
        error: { must: 'any' },
        breaks: ['CLI-LKP-002'],
      },
    ],
  },
  'other-client': {
    weight: 0.5,
    draw: (random) => ({ program: random.pick(['donation/aliased', 'misc/add_one']), seed: random.below(1e6) }),
    play: ({ world, id, settings }) => {
      const [data, x, f, y, devices] = ['is', 'x', 'f', 'y', 'devices'].map((what) => `${id}_${what}`) as [
        string,
        string,
        string,
        string,
        string,
      ];
      return [
        { client: { as: id }, breaks: ['CLI-CRE-006'] },
        asData(world, data, freshData(VECTOR, settings.seed as number)),
        { put: { as: x, client: `$${id}`, data: `$${data}` } },
        { compile: { as: f, client: `$${id}`, program: settings.program } },
        {
          call: 'PJRT_Client_AddressableDevices',
          with: { client: `$${id}` },
          as: { [devices]: 'addressable_devices' },
        },
        // What was compiled before for another client runs on the devices of this one.
        {
          call: 'PJRT_LoadedExecutable_AddressableDevices',
          with: { executable: `$${f}` },
          expect: { addressable_devices: { equals: [`$${devices}[0]`] } },
          breaks: ['LEX-DEV-001'],
        },
        { execute: { executable: `$${f}`, args: [`$${x}`], as: [y] }, breaks: ['CLI-CRE-006'] },
        { destroy: `$${y}` },
        { destroy: `$${x}` },
        { destroy: `$${f}` },
        { destroy: `$${id}` },
      ];
    },
  },
};
