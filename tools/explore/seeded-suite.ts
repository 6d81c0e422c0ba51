import { suiteText } from '../../harness/commands/explore/as-case.ts';
import { Coverage } from '../../harness/commands/explore/coverage.ts';
import type { Action } from '../../harness/commands/explore/move.ts';
import { typesOf } from '../../harness/commands/explore/needs.ts';
import { drawSession, formOf, type Session } from '../../harness/commands/explore/session.ts';
import { Abi, OLDEST_MINOR } from '../../harness/knowledge/abi/index.ts';

/** What plugins may lack, by name: a session of each has these moves, of which nothing else depends. */
const PARTS: Readonly<Record<string, { moves: readonly string[]; devices?: number }>> = {
  basic: { moves: [] },
  references: { moves: ['reference', 'drop-reference', 'reference too many, refused'] },
  pieces: { moves: ['withhold manager', 'piece', 'give'] },
  failures: { moves: ['withhold manager', 'give', 'fail', 'lost-argument', 'lost-among-arguments'] },
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
  uninitialized: { moves: ['uninitialized', 'failed-allocation'] },
  errors: { moves: ['error-buffer', 'keep-error', 'lost-argument', 'lost-among-arguments'] },
  loaded: { moves: ['store'] },
  memories: { moves: ['copy-to-memory'] },
  'late-memories': { moves: ['withhold-in-memory', 'give'] },
  contexts: { moves: ['run-as context', 'destroy-context'] },
  devices: { moves: ['copy-to-device'], devices: 2 },
  spread: { moves: ['spread', 'run-spread', 'destroy-spread'], devices: 2 },
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
  /^(ask executable PJRT_LoadedExecutable_Fingerprint|delete-executable|replace-executables|event-callback-work|view-aliasing|view-callback|view-unaligned|view-in-use|made-of-zero-copy|raw-copy|raw-future|error-contract|run-as (no custom options|no tasks|location)|dma-map|taken-after-use|optimized-program|copy of a deleted buffer to a memory|read (reversed|rotated)|negative dimension|layout of another rank|run .* \| loaded \| .*\bloaded)/;
/** What may be done with something that is withheld, or that waits for it, without the call being allowed to wait too. */
const PATIENT = /^(ready-event|listen|piece|give|fail|destroy-event|abandon-event|event)\b/;

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

/** Of so many sessions at most the first is taken that plays all, or most, of what its part is about. */
const DRAWN = 100;

function sessionOf(part: string, { moves, devices = 1 }: (typeof PARTS)[string], coverage: Coverage): Session {
  const played = ({ actions }: Session): number => {
    const forms = actions.map(formOf);
    return moves.filter((move) => forms.some((form) => form === move || form.startsWith(`${move} `))).length;
  };
  let best: Session | undefined;
  for (let n = 0; n < DRAWN && (!best || played(best) < moves.length); n++) {
    const drawn = drawSession({
      seed: `seeded/${part}/${n}`,
      devices,
      moves: MOVES_OF_SESSION,
      coverage: new Coverage(coverage.toJSON()),
      avoided: new Set(),
      allows: (form, key, action) => allows(moves, form, key, action),
    });
    if (!best || played(drawn) > played(best)) best = drawn;
  }
  return best!;
}

/** The suite as text. */
export function seededSuite(): string {
  const coverage = new Coverage();
  const sessions = Object.entries(PARTS).map(([part, what]) => {
    const session = sessionOf(part, what, coverage);
    for (const { key, action } of session.turns) {
      coverage.count(key, '');
      if (action) coverage.count(action.move, '');
    }
    return {
      id: part,
      about: `A sequence of calls that a framework could make leaves each object as it must be (${part}).`,
      session,
    };
  });
  const head =
    '# yaml-language-server: $schema=../../schemas/suite.schema.json\n# Written by tools/explore/seeded.ts.\n';
  return head + suiteText('explore/seeded', 'Sessions of `explore`, which mix what other suites test alone.', sessions);
}
