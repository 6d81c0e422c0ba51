/** What a move of a session is made of. */

import type { RawStep } from '../../suite/raw.ts';
import type { Random } from '../fuzz/random.ts';
import type { ArrayType, Thing, World } from './world.ts';

/** The things that a move is about, by the names that it has for them. */
type Chosen = Readonly<Record<string, Thing>>;

/** What is drawn once for a move: numbers and words, so that a session can be written down. */
export type Settings = Readonly<Record<string, string | number | boolean | ArrayType>>;

/** A move as it is played. */
export interface Turn {
  world: World;
  /** Names of what it makes begin with this. */
  id: string;
  things: Chosen;
  settings: Settings;
}

/** A kind of move. */
export interface Move {
  /** How often it is tried, compared with others. */
  weight: number;
  /** What it needs, by name. A later need may look at what was chosen for an earlier one. */
  needs?: Readonly<Record<string, (thing: Thing, chosen: Chosen, world: World) => boolean>>;
  /** What else it needs of the world. */
  when?: (world: World) => boolean;
  draw?: (random: Random, chosen: Chosen, world: World) => Settings;
  /** It ends what others wait for, so that what still waits is asked whether it does. */
  releases?: true;
  /** Functions that may wait for what the move gives meanwhile, as where a plugin reads at once. */
  mayWaitIn?: readonly string[];
  /** Settings that coverage keeps apart. */
  distinguishes?: readonly string[];
  /** Changes the world, and says how that is done. */
  play(turn: Turn): RawStep[];
}

/** A move of a session: what it is about by id. */
export interface Action {
  move: string;
  id: string;
  things: Readonly<Record<string, string>>;
  settings: Settings;
  /** The lane that plays it, if there are several. */
  lane?: number;
}
