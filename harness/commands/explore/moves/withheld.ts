/** Contents that the session withholds, and gives in its own time. */
import type { RawStep } from '../../../suite/raw.ts';
import type { Move } from '../move.ts';
import { TYPES, VECTOR } from '../programs.ts';
import { asData, bufferOf, contentsOf } from '../things.ts';
import type { ArrayType, Gate, Thing } from '../world.ts';
import { freshData } from './transfers.ts';

/** The code of the errors that sessions give. */
export const ERROR = 'DATA_LOSS';

const VIAS = ['manager', 'manager', 'alias', 'dependency'];
/** What each way is about: making it, giving it, failing it. */
const ABOUT: Readonly<Record<string, Readonly<Record<'make' | 'give' | 'fail', string>>>> = {
  manager: { make: 'H2D-CRE-001', give: 'H2D-TRD-001', fail: 'H2D-ERR-001' },
  alias: { make: 'BUF-ALI-001', give: 'BUF-ALI-002', fail: 'BUF-ALI-003' },
  dependency: { make: 'BUF-DWC-001', give: 'BUF-DWC-003', fail: 'BUF-DWC-002' },
  created: { make: 'EVT-CRE-001', give: 'EVT-SET-001', fail: 'EVT-SET-002' },
};

const MOST_PIECES = 4;
/** Least elements of an array that comes in pieces. */
const PIECED = 4;

const elements = ({ shape }: ArrayType): number => shape.reduce((n, d) => n * d, 1);
const isOpenGate = (thing: Thing): boolean => thing.kind === 'gate' && thing.state === 'open';

export const WITHHELD: Readonly<Record<string, Move>> = {
  withhold: {
    weight: 6,
    draw: (random, _, world) => {
      const via = random.pick(VIAS);
      const type = random.once(2) ? VECTOR : random.pick(TYPES);
      const pieces = via === 'manager' && elements(type) >= PIECED ? random.between(1, MOST_PIECES) : 1;
      return { via, type, pieces, device: random.below(world.devices), seed: random.below(1e6) };
    },
    distinguishes: ['via', 'pieces'],
    play: ({ world, id, settings }) => {
      const { via, pieces, device, seed } = settings as { via: string; pieces: number; device: number; seed: number };
      const type = settings.type as ArrayType;
      const missing = Array.from({ length: pieces }, (_, i) => i);
      const gate: Gate = { kind: 'gate', id: `${id}_gate`, state: 'open', via, missing };
      world.things.set(gate.id, gate);
      bufferOf(world, id, { type, device, contents: contentsOf(id), waits: [gate] });
      return [
        asData(world, contentsOf(id), freshData(type, seed)),
        {
          pending: via,
          as: { [id]: 'buffer', [gate.id]: 'completion' },
          contents: `$${contentsOf(id)}`,
          ...(pieces > 1 ? { pieces } : {}),
          ...(device === 0 ? {} : { on: `$devices[${device}]` }),
          breaks: [ABOUT[via]!.make],
        },
      ];
    },
  },
  event: {
    weight: 2,
    play: ({ world, id }) => {
      const gate: Gate = { kind: 'gate', id: `${id}_gate`, state: 'open', via: 'created', missing: [0] };
      world.things.set(gate.id, gate);
      world.things.set(id, { kind: 'event', id, state: 'live', waits: [gate] });
      return [{ pending: 'created', as: { [id]: 'event', [gate.id]: 'completion' }, breaks: [ABOUT.created!.make] }];
    },
  },
  piece: {
    weight: 4,
    needs: { gate: (thing) => isOpenGate(thing) && (thing as Gate).missing.length > 1 },
    draw: (random, { gate }) => ({ piece: random.pick((gate as Gate).missing) }),
    play: ({ things, settings }) => {
      const gate = things.gate as Gate;
      // A session that was cut may lack what came before.
      const piece = gate.missing.includes(settings.piece as number) ? (settings.piece as number) : gate.missing[0]!;
      gate.missing = gate.missing.filter((one) => one !== piece);
      return [{ complete: `$${gate.id}`, piece, breaks: ['H2D-TRD-004'] }];
    },
  },
  give: {
    weight: 4,
    needs: { gate: isOpenGate },
    play: ({ things }) => give(things.gate as Gate),
  },
  fail: {
    weight: 1,
    needs: { gate: isOpenGate },
    play: ({ things }) => {
      const gate = things.gate as Gate;
      gate.state = 'failed';
      return [
        {
          complete: `$${gate.id}`,
          error: { code: ERROR, message: `what ${gate.id} withheld is lost` },
          breaks: [ABOUT[gate.via]!.fail],
        },
      ];
    },
  },
};

/** Gives what is withheld. */
export function give(gate: Gate): RawStep[] {
  gate.state = 'complete';
  return [{ complete: `$${gate.id}`, breaks: [ABOUT[gate.via]!.give] }];
}
