/** Who is to blame for what goes wrong in company: pure rules on the cells of a matrix. */
import type { Cell, Trouble } from './cell.ts';

/**
 * How a culprit is known. seen: a change was seen in a step of the plugin · alone: it also happens without company · itself:
 * it happens to the plugin beside itself, and not to the others · partners: it happens beside every partner of the plugin, and
 * to no other pair · undecided: the evidence does not decide.
 */
type Evidence = 'seen' | 'alone' | 'itself' | 'partners' | 'undecided';

/** One interference: the same trouble in one cell or several, with its culprit. */
export interface Interference extends Pick<Trouble, 'where' | 'type' | 'level' | 'message' | 'detail' | 'reason'> {
  /** The plugin to blame; undefined if the evidence does not decide. */
  culprit?: string;
  /** Those that it may be, without a culprit. */
  candidates?: string[];
  evidence: Evidence;
  /** Whose answers were wrong, if known. */
  victims: string[];
  requirements: string[];
  /** A command that runs the first of the cells again. */
  reproduce: string;
  /** Names of the cells. */
  cells: string[];
  /** If it happens in one order of loading only: where the culprit is then. */
  only?: 'loaded first' | 'loaded second';
}

/** The best first. */
const STRENGTH: readonly Evidence[] = ['seen', 'alone', 'partners', 'itself', 'undecided'];
const LEVELS: readonly Trouble['level'][] = ['fail', 'warn', 'known'];

/** What is the same trouble in different cells. */
const keyOf = ({ where, type, level }: Trouble): string => `${level} ${where} ${type}`;

/** All interferences, the worst first; those of one culprit together. */
export function blame(cells: readonly Cell[]): Interference[] {
  const found = new Map<string, Interference>();
  for (const cell of cells) {
    for (const trouble of cell.troubles) {
      const blamed = culpritOf(trouble, cell, cells);
      const key = `${blamed.culprit ?? blamed.candidates?.join(' ')} ${keyOf(trouble)}`;
      const { call: _, culprit: __, plugin, requirements = [], ...what } = trouble;
      const fresh = { ...what, ...blamed, victims: [], requirements, reproduce: cell.reproduce, cells: [] };
      const known: Interference = found.get(key) ?? fresh;
      found.set(key, known);
      if (!known.cells.includes(cell.name)) known.cells.push(cell.name);
      if (STRENGTH.indexOf(blamed.evidence) < STRENGTH.indexOf(known.evidence)) known.evidence = blamed.evidence;
      if (plugin !== undefined && !known.victims.includes(plugin)) known.victims.push(plugin);
    }
  }
  const all = [...found.values()].map((item) => ({ ...item, ...orderOf(item, cells) }));
  return all.sort(
    (a, b) =>
      LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
      Number(a.culprit === undefined) - Number(b.culprit === undefined) ||
      (a.culprit ?? '').localeCompare(b.culprit ?? '') ||
      b.cells.length - a.cells.length,
  );
}

type Culprit = Pick<Interference, 'culprit' | 'candidates' | 'evidence'>;

function culpritOf(trouble: Trouble, cell: Cell, cells: readonly Cell[]): Culprit {
  const members = [...new Set(cell.plugins)].sort();
  if (trouble.culprit !== undefined) return { culprit: trouble.culprit, evidence: 'seen' };
  if (members.length === 1) return { culprit: members[0]!, evidence: cell.company === 'alone' ? 'alone' : 'itself' };
  const key = keyOf(trouble);
  const happens = ({ troubles }: Cell): boolean => troubles.some((other) => keyOf(other) === key);
  const rules: [Evidence, (plugin: string) => boolean][] = [
    ['alone', (plugin) => cells.some((c) => c.company === 'alone' && c.plugins[0] === plugin && happens(c))],
    ['partners', (plugin) => besideEveryPartner(plugin, cells, happens)],
    ['itself', (plugin) => cells.some((c) => isTwinOf(c, plugin) && happens(c))],
  ];
  for (const [evidence, fits] of rules) {
    const culprits = members.filter(fits);
    if (culprits.length === 1) return { culprit: culprits[0]!, evidence };
    if (culprits.length > 1) return { candidates: culprits, evidence: 'undecided' };
  }
  return { candidates: members, evidence: 'undecided' };
}

const isTwinOf = ({ company, plugins }: Cell, plugin: string): boolean =>
  (company === 'same-file' || company === 'copy') && plugins[0] === plugin;

/** With one partner, the trouble is as much that one's. */
function besideEveryPartner(plugin: string, cells: readonly Cell[], happens: (cell: Cell) => boolean): boolean {
  const pairs = cells.filter(({ company, plugins }) => company === 'pair' && plugins.includes(plugin));
  const partnersIn = (some: readonly Cell[]): Set<string> =>
    new Set(some.flatMap(({ plugins }) => plugins.filter((name) => name !== plugin)));
  const all = partnersIn(pairs.filter(({ status }) => status !== 'impossible' && status !== 'error'));
  return all.size > 1 && partnersIn(pairs.filter(happens)).size >= all.size;
}

/** Whether a trouble depends on the order of loading. */
function orderOf({ culprit, cells: names }: Interference, cells: readonly Cell[]): Pick<Interference, 'only'> {
  const pairs = cells.filter(({ company, name }) => company === 'pair' && names.includes(name));
  if (culprit === undefined || pairs.length === 0) return {};
  const tried = cells.filter(({ company, plugins }) => company === 'pair' && plugins.includes(culprit));
  const at = (position: number, some: readonly Cell[]) => some.filter(({ plugins }) => plugins[position] === culprit);
  if (at(1, pairs).length === 0 && at(1, tried).length > 0) return { only: 'loaded first' };
  if (at(0, pairs).length === 0 && at(0, tried).length > 0) return { only: 'loaded second' };
  return {};
}
