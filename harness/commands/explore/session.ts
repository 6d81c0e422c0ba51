/** Sessions: sequences of moves, drawn from a seed, or played again from what was written down. Pure. */
import { groupedBy } from '../../base/grouping.ts';
import type { RawStep } from '../../suite/raw.ts';
import { Random } from '../fuzz/random.ts';
import type { Coverage } from './coverage.ts';
import type { Action, Move, Settings } from './move.ts';
import { MOVES } from './moves.ts';
import { needsOf } from './needs.ts';
import { lacking } from './prepare.ts';
import { PROGRAMS } from './programs.ts';
import { ask, askWaiting, close } from './questions.ts';
import { newWorld, stateOf, type Thing, typeText, type World } from './world.ts';

/** A session, and the steps that play it. */
export interface Session {
  /** From which its questions are drawn. */
  seed: string;
  devices: number;
  actions: readonly Action[];
  /**
   * What was played, by move, lane after lane; the last entry of a lane is its end, where everything is asked. Lanes know nothing of
   * each other: each has a world of its own, and they are played at the same time.
   */
  turns: readonly Turn[];
  /** Ids of what was still withheld before its end. */
  open: readonly string[];
}

interface Turn {
  action?: Action;
  key: string;
  /** The steps of the move itself, and all with what is asked after it. */
  own: readonly RawStep[];
  steps: readonly RawStep[];
  lane: number;
}

/** How sessions are drawn. */
export interface Play {
  seed: string;
  devices: number;
  /** Moves of a session, of all lanes together. */
  moves: number;
  /** Lanes; one if it is missing. */
  threads?: number;
  coverage: Coverage;
  /** Kinds of moves that this plugin does not take, or that are known to fail. */
  avoided: ReadonlySet<string>;
  /** The kind of move that the session is about: it ends with it. */
  towards?: string;
  /** Whether a move may be played; for sessions that are written down. */
  allows?: (form: string, key: string, action: Action) => boolean;
}

/** Candidates among which the least played is chosen. */
const CANDIDATES = 8;
const TRIES = 200;
/** One move in so many is to run what was run least. */
const TOWARDS_RUNS = 4;
/** Questions after a move. */
const QUESTIONS = 2;
/** Waiting things that are asked whether they still wait, after any move and after one that ends what others wait for. */
const WAITING = 1;
const WAITING_FOR_OTHERS = 8;

/** Draws a session. */
export function drawSession(play: Play): Session {
  const random = new Random(play.seed);
  const { threads = 1, moves } = play;
  return joined(
    play,
    Array.from({ length: threads }, (_, lane) => drawLane(play, random, lane, Math.ceil(moves / threads))),
  );
}

function drawLane(play: Play, random: Random, lane: number, moves: number): Lane {
  const world = newWorld(play.devices);
  const turns: Turn[] = [];
  let last = '';
  for (let n = 0; n < moves; n++) {
    const drawn = nextAction(play, world, random, lane === 0 ? `m${n}` : `t${lane}m${n}`, last);
    if (!drawn) break;
    const action = lane === 0 ? drawn : { ...drawn, lane };
    const key = keyOf(action, world);
    play.coverage.count(key, last);
    play.coverage.count(action.move, '');
    last = key;
    turns.push(turn(world, action, key, play.seed));
    if (action.move === play.towards) break;
  }
  return { world, turns };
}

/** Plays written moves again. Moves that are not possible any more, since others are missing, are left out. */
export function playAgain(seed: string, devices: number, written: readonly Action[]): Session {
  const lanes = [...groupedBy(written, laneOf).values()].map((actions): Lane => {
    const world = newWorld(devices);
    const turns: Turn[] = [];
    for (const action of actions) {
      if (isPossible(action, world)) turns.push(turn(world, action, keyOf(action, world), seed));
    }
    return { world, turns };
  });
  return joined({ seed, devices }, lanes);
}

/** The turns of each lane, with their places among all. */
export function lanesOf({ turns }: Session): { turn: Turn; place: number }[][] {
  const all = turns.map((turn, place) => ({ turn, place }));
  return [...groupedBy(all, ({ turn }) => turn.lane).values()];
}

const laneOf = ({ lane = 0 }: Action): number => lane;

interface Lane {
  world: World;
  turns: readonly Turn[];
}

function joined({ seed, devices }: Pick<Session, 'seed' | 'devices'>, all: readonly Lane[]): Session {
  const played = all.filter(({ turns }) => turns.length > 0);
  const lanes = played.length > 0 ? played : [{ world: newWorld(devices), turns: [] }];
  const open = lanes
    .flatMap(({ world }) => [...world.things.values()])
    .flatMap((thing) => (thing.kind === 'gate' && thing.state === 'open' ? [thing.id] : []));
  const turns = lanes.flatMap(({ world, turns: own }): Turn[] => [
    ...own,
    { key: 'end', own: [], steps: close(world), lane: own[0]?.lane ?? 0 },
  ]);
  return { seed, devices, actions: turns.flatMap(({ action }) => action ?? []), open, turns };
}

/** Plays a move, and asks a few things. What is asked depends on the move alone, so that it is the same without the others. */
function turn(world: World, action: Action, key: string, seed: string): Turn {
  const { move, id, settings } = action;
  const kind = MOVES[move]!;
  const own = kind.play({ world, id, settings, things: thingsOf(action, world) });
  const random = new Random(`${seed}/${id}`);
  const waiting = askWaiting(world, random, kind.releases ? WAITING_FOR_OTHERS : WAITING);
  return { action, key, lane: laneOf(action), own, steps: [...own, ...waiting, ...ask(world, random, QUESTIONS)] };
}

const thingsOf = ({ things }: Action, world: World): Record<string, Thing> =>
  Object.fromEntries(Object.entries(things).map(([name, id]) => [name, world.things.get(id)!]));

function isPossible({ move, things }: Action, world: World): boolean {
  const { needs = {}, when } = MOVES[move]!;
  if (when && !when(world)) return false;
  const chosen: Record<string, Thing> = {};
  for (const [name, fits] of Object.entries(needs)) {
    const thing = world.things.get(things[name]!);
    if (!thing || !fits(thing, chosen, world)) return false;
    chosen[name] = thing;
  }
  return true;
}

/** What coverage counts: the move with the settings that matter, and the states of what it is about. */
function keyOf(action: Action, world: World): string {
  const states = Object.values(thingsOf(action, world)).map(stateOf);
  return [formOf(action), ...states].join(' | ');
}

/** A move with the settings that matter. */
export const formOf = ({ move, settings }: Action): string =>
  [move, ...(MOVES[move]!.distinguishes ?? []).map((name) => textOf(settings[name]))].join(' ');

const textOf = (setting: Settings[string] | undefined): string =>
  typeof setting === 'object' ? typeText(setting) : String(setting);

function nextAction(play: Play, world: World, random: Random, id: string, last: string): Action | undefined {
  const { coverage, towards } = play;
  const kinds = Object.entries(MOVES).map(([name, move]) => ({ name, move, weight: move.weight }));
  if (towards !== undefined) {
    const action = drawAction(towards, MOVES[towards]!, world, random, id);
    if (action && !isAvoided(action, world, play)) return action;
  }
  if (random.once(TOWARDS_RUNS)) {
    const action = towardsRun(play, world, random, id);
    if (action && !isAvoided(action, world, play)) return action;
  }
  let best: { action: Action; times: number } | undefined;
  // Of most kinds there is nothing yet at the beginning.
  for (let n = 0, tries = 0; n < CANDIDATES && tries < TRIES; tries++) {
    const { name, move } = random.weighted(kinds);
    const action = drawAction(name, move, world, random, id);
    if (!action) continue;
    if (isAvoided(action, world, play)) continue;
    n++;
    // Kinds that can be played in many ways must not crowd out the others.
    const times = coverage.times(keyOf(action, world), last) + coverage.times(name, '') / move.weight;
    if (!best || times < best.times) best = { action, times };
  }
  return best?.action;
}

/** The least played program, if it can be run, or what it lacks: seldom are there all arguments by chance. */
function towardsRun({ coverage, avoided }: Play, world: World, random: Random, id: string): Action | undefined {
  const programs = Object.keys(PROGRAMS).filter(
    (program) =>
      ![`compile ${program}`, ...needsOf({ settings: { program } }).keys()].some((name) => avoided.has(name)),
  );
  if (programs.length === 0) return undefined;
  const times = (program: string): number => coverage.times(`run ${program}`, '');
  const program = programs.reduce((least, one) => (times(one) < times(least) ? one : least));
  const name = `run ${program}`;
  const run = drawAction(name, MOVES[name]!, world, random, id);
  if (run) return run;
  const action = { id, things: {}, ...lacking(program, world, random) };
  return isPossible(action, world) ? action : undefined;
}

/** Whether a move, or a move in this state of things, is not played. */
function isAvoided(action: Action, world: World, { avoided, allows }: Play): boolean {
  const [form, key] = [formOf(action), keyOf(action, world)];
  if (namesOf(action, key).some((name) => avoided.has(name))) return true;
  return allows !== undefined && !allows(form, key, action);
}

/** What a move may be avoided as: by itself, in this state of things, for what it waits for, and for what it needs. */
export const namesOf = (action: Action, key: string): string[] => [
  formOf(action),
  key,
  ...waitsOf(key),
  ...needsOf(action).keys(),
];

/** What a move may wait for, by its key: for its things, or for what uses them. A plugin that waits in one program does in all like it. */
export const waitsOf = (key: string): string[] => {
  const [kind] = key.split(/[/|]/);
  return ['withheld', 'busy']
    .filter((state) => key.includes(state))
    .map((state) => `${kind!.trim()} of what is ${state}`);
};

/** A move of a kind, if there is what it needs. */
function drawAction(name: string, move: Move, world: World, random: Random, id: string): Action | undefined {
  if (move.when && !move.when(world)) return undefined;
  const chosen: Record<string, Thing> = {};
  for (const [need, fits] of Object.entries(move.needs ?? {})) {
    const fitting = [...world.things.values()].filter((thing) => fits(thing, chosen, world));
    if (fitting.length === 0) return undefined;
    chosen[need] = random.pick(fitting);
  }
  const settings = move.draw?.(random, chosen, world) ?? {};
  const things = Object.fromEntries(Object.entries(chosen).map(([need, thing]) => [need, thing.id]));
  return { move: name, id, things, settings };
}
