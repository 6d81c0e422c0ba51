import { suiteText } from '../../harness/commands/explore/as-case.ts';
import { Coverage } from '../../harness/commands/explore/coverage.ts';
import type { Action } from '../../harness/commands/explore/move.ts';
import { typesOf } from '../../harness/commands/explore/needs.ts';
import { drawSession } from '../../harness/commands/explore/session.ts';
import { Abi, OLDEST_MINOR } from '../../harness/knowledge/abi/index.ts';

/** What plugins may lack, by name: a session of each has these moves, of which nothing else depends. */
const PARTS: Readonly<Record<string, { moves: readonly string[]; devices?: number }>> = {
  basic: { moves: [] },
  references: { moves: ['reference', 'drop-reference', 'reference too many, refused'] },
  pieces: { moves: ['withhold manager', 'piece', 'give'] },
  failures: { moves: ['withhold manager', 'give', 'fail'] },
  aliases: { moves: ['withhold alias', 'make-of alias', 'give'] },
  dependencies: { moves: ['withhold dependency', 'make-of dependency', 'give'] },
  events: { moves: ['event', 'give', 'fail'] },
  managers: { moves: ['manager', 'retrieve', 'ask manager', 'piece', 'give', 'fail', 'keep-error'] },
  'abandoned-managers': { moves: ['manager', 'retrieve', 'piece', 'give', 'destroy-manager'] },
  'abandoned-events': { moves: ['event', 'abandon-event'] },
  views: { moves: ['view', 'reference', 'drop-reference'] },
  'view-addresses': { moves: ['view', 'view-address'] },
  strides: { moves: ['send strided'] },
  raw: { moves: ['read-raw', 'read-raw-large'] },
  bitcasts: { moves: ['bitcast'] },
  fingerprints: { moves: ['compare'] },
  uninitialized: { moves: ['uninitialized'] },
  errors: { moves: ['error-buffer', 'keep-error'] },
  loaded: { moves: ['store'] },
  memories: { moves: ['copy-to-memory'] },
  'late-memories': { moves: ['withhold-in-memory', 'give'] },
  devices: { moves: ['copy-to-device'], devices: 2 },
  answers: { moves: ['ask'] },
  clients: { moves: ['other-client'] },
  types: { moves: ['types'] },
};

/** Moves that belong to a part alone. */
const OPTIONAL = new Set(
  Object.values(PARTS).flatMap(({ moves }) => moves.filter((move) => !move.startsWith('send')).map(kindOf)),
);
/** Transfers with strides that a plugin may refuse. */
const STRIDED = /^send \S+ (gaps|backwards|rows backwards) /;
/** Whether a plugin may lack a type that a move needs. */
const needsOtherTypes = (action: Action): boolean =>
  typesOf(action).some(({ dtype, shape }) => (dtype !== 'f32' && dtype !== 's32') || shape.includes(0));
/** What has cases of its own, on which known plugins fail. */
const ELSEWHERE =
  /^(delete-executable|replace-executables|event-callback-work|view-aliasing|view-callback|view-unaligned|view-in-use|made-of-zero-copy|raw-future|dma-map|taken-after-use|optimized-program|copy of a deleted buffer to a memory|read (reversed|rotated)|negative dimension|layout of another rank|run .* \| loaded \| .*\bloaded)/;
/** What may be done with something that is withheld, or that waits for it, without the call being allowed to wait too. */
const PATIENT = /^(ready-event|listen|piece|give|fail|destroy-event|abandon-event|event)\b/;

const SESSIONS_OF_PART = 1;
const MOVES_OF_SESSION = 20;

function kindOf(form: string): string {
  return form.split(' ')[0]!;
}

/** Whether plugins of every version can be asked. */
const isAncient = ({ settings: { function: name } }: Action): boolean =>
  typeof name !== 'string' || Abi.at(OLDEST_MINOR).slotOffset(name) !== undefined;

/** Whether a session of a part may have a move, in the state that its key says. */
function allows(moves: readonly string[], form: string, key: string, action: Action): boolean {
  if (ELSEWHERE.test(key) || !isAncient(action)) return false;
  if (STRIDED.test(form) && !moves.includes('send strided')) return false;
  if (form.startsWith('read-while bitcast') && !moves.includes('bitcast')) return false;
  const kind = kindOf(form);
  if (needsOtherTypes(action) && !moves.includes('types')) return false;
  if (OPTIONAL.has(kind) && !moves.some((move) => form === move || form.startsWith(`${move} `))) return false;
  // Loaded once: some plugins cannot store what was loaded.
  if (kind === 'store' && key.includes('| loaded')) return false;
  return !/withheld|busy/.test(key) || PATIENT.test(form);
}

/** The suite as text. */
export function seededSuite(): string {
  const coverage = new Coverage();
  const sessions = Object.entries(PARTS).flatMap(([part, { moves, devices = 1 }]) =>
    Array.from({ length: SESSIONS_OF_PART }, (_, n) => ({
      id: SESSIONS_OF_PART === 1 ? part : `${part}-${n + 1}`,
      about: `A sequence of calls that a framework could make leaves each object as it must be (${part}).`,
      session: drawSession({
        seed: `seeded/${part}/${n}`,
        devices,
        moves: MOVES_OF_SESSION,
        coverage,
        avoided: new Set(),
        allows: (form, key, action) => allows(moves, form, key, action),
      }),
    })),
  );
  const head =
    '# yaml-language-server: $schema=../../schemas/suite.schema.json\n# Written by tools/explore/seeded.ts.\n';
  return head + suiteText('explore/seeded', 'Sessions of `explore`, which mix what other suites test alone.', sessions);
}
