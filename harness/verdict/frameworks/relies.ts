import { readFileSync } from 'node:fs';
import { packagePath } from '../../base/paths.ts';
import { DTYPES, type DType } from '../../knowledge/numerics/dtypes.ts';
import { matchesCase } from '../../suite/case-glob.ts';
import type { Case } from '../../suite/types.ts';
import { useOf } from './load.ts';
import type { Moment } from './prediction.ts';
import type { Chosen } from './types.ts';

/** What frameworks rely on for right data: an entry of `frameworks/relies.json`. */
export interface Reliance {
  /** In a few words, as in "wrong results: strided uploads". */
  of: string;
  /** Frameworks that do; undefined: all. */
  frameworks?: string[];
  /** By framework: the first release that does, or that was seen to. */
  from?: Record<string, string>;
  /** Requirements, any of which a plugin breaks with a wrong result. */
  requirements: string[];
  /** Of the cases that cover them, the ones that do it as frameworks do: globs; undefined: all. */
  cases?: string[];
  /** The function that gets there, without PJRT_. */
  through: string;
  /** A feature that is withheld from platforms by their name. */
  feature?: string;
  /** How accurate a right result is depends on the numerics profile. */
  profiled?: true;
  /** What the framework makes of a violation, if it is not that the user gets a wrong array. */
  otherwise?: { outcome: 'refuses' | 'aborts'; moment: Moment; message?: string };
  source: string;
}

/** Everyday types of arrays: whole bytes, and no floats of eight bits. What is wrong with others is no reason against a release. */
const isEveryday = ({ bits, kind }: DType): boolean => bits >= 8 && !(kind === 'float' && bits === 8);

/** Parameters of cases that are element types. */
const TYPE_PARAMETERS = ['dtype', 'type', 'to', 'from'];

let known: Reliance[] | undefined;

const reliances = (): Reliance[] => {
  known ??= (JSON.parse(readFileSync(packagePath('frameworks', 'relies.json'), 'utf8')) as { relies: Reliance[] })
    .relies;
  return known;
};

const isSince = ({ framework: { releases }, release }: Chosen, first: string | undefined): boolean =>
  first === undefined || releases.indexOf(release) >= releases.findIndex(({ version }) => version === first);

/** What a release relies on. */
export const reliancesOf = (chosen: Chosen): Reliance[] =>
  reliances().filter(
    ({ frameworks, from, through }) =>
      (frameworks?.includes(chosen.framework.name) ?? true) &&
      isSince(chosen, from?.[chosen.framework.name]) &&
      useOf(chosen, through) !== undefined,
  );

/** Whether a case is about what a release relies on, with everyday types of arrays and harmless arguments. */
export function isReliedOn(chosen: Chosen, { id, covers, params, requires, isolation }: Case): boolean {
  if (isolation !== 'worker') return false;
  const types = [...TYPE_PARAMETERS.map((name) => params[name]), ...(requires.dtypes ?? [])];
  const odd = DTYPES.some((type) => types.includes(type.name) && !isEveryday(type));
  return !odd && reliancesOf(chosen).some((reliance) => concerns(reliance, id, covers));
}

/** Whether a case that covers, or violates, these requirements is about what a release relies on. */
export const concerns = ({ requirements, cases }: Reliance, id: string, about: readonly string[]): boolean =>
  requirements.some((one) => about.includes(one)) && (cases?.some((glob) => matchesCase(glob, id)) ?? true);
