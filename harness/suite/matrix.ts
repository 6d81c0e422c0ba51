import { closest, didYouMean } from '../base/did-you-mean.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { type Params, sameValue, valueText } from './parameters.ts';
import { type SuiteProblem, show } from './problem.ts';
import type { RawCase, RawSets } from './raw.ts';
import { type ParamValue, RUNNER_BINDINGS } from './types.ts';

/** Named value lists by dotted name, without the `$`. */
export type Sets = ReadonlyMap<string, readonly ParamValue[]>;

/** Nested sets of a file as one table. */
export function flattenSets(raw: RawSets): Map<string, readonly ParamValue[]> {
  const sets = new Map<string, readonly ParamValue[]>();
  for (const [name, value] of Object.entries(raw)) {
    if (Array.isArray(value)) sets.set(name, value);
    else for (const [inner, list] of Object.entries(value)) sets.set(`${name}.${inner}`, list);
  }
  return sets;
}

/** More combinations than this in one case are a mistake. */
const MAX_COMBINATIONS = 10_000;

/** One combination of parameters, and the requirements that it exercises. */
export interface Combination {
  params: Params;
  covers: readonly string[];
}

/**
 * All combinations of a case's rows with those of its matrix, the rows and then the first parameter slowest, without
 * those that match an entry of `exclude`.
 */
export function combinations(
  raw: RawCase,
  sets: Sets,
  document: LocatedYaml,
  path: DocumentPath,
): { combinations: Combination[]; problems: SuiteProblem[] } {
  const checker = new MatrixChecker(sets, document, path);
  const rows = checker.rows(completeRows(raw), raw.unnamed ?? []);
  const axes = [
    ...columnsOf(rows),
    ...Object.entries(raw.matrix ?? {}).map(([name, list]) => checker.axis(name, list, rows[0])),
  ];
  const exclude = (raw.exclude ?? []).map((entry, i) => checker.filter(entry, axes, ['exclude', i]));
  const covers = raw.covers.map((entry, i) => {
    const [id, when] = typeof entry === 'string' ? [entry, {}] : Object.entries(entry)[0]!;
    return { id, filter: checker.filter(when, axes, ['covers', i, id]) };
  });
  checker.unnamed(raw.unnamed ?? [], rows);
  const { problems } = checker;
  const ofMatrix = axes.slice(columnsOf(rows).length);
  const count = ofMatrix.reduce((product, axis) => product * axis.values.length, Math.max(1, rows.length));
  if (count > MAX_COMBINATIONS) {
    checker.report(['matrix'], `${count} combinations`, { expected: `at most ${MAX_COMBINATIONS}` });
  }
  if (problems.length > 0) return { combinations: [], problems };
  const all = product(ofMatrix, rows.length > 0 ? rows : [{}]);
  const kept = all.filter((params) => !exclude.some((filter) => matches(filter, params)));
  for (const [i, filter] of exclude.entries()) {
    if (!all.some((params) => matches(filter, params)))
      checker.report(['exclude', i], 'matches no combination of the matrix');
  }
  if (kept.length === 0 && problems.length === 0) {
    checker.report(['matrix'], 'no combination is left', { help: 'loosen `exclude`' });
  }
  const found = kept.map((params) => ({
    params,
    covers: [...new Set(covers.filter(({ filter }) => matches(filter, params)).map(({ id }) => id))],
  }));
  for (const [i, { id }] of covers.entries()) {
    if (problems.length === 0 && !found.some((row) => row.covers.includes(id)))
      checker.report(['covers', i], 'matches no combination of the matrix');
  }
  const idle = problems.length === 0 && covers.length > 0 && found.find((row) => row.covers.length === 0);
  if (idle) checker.report(['covers'], `nothing for ${JSON.stringify(idle.params)}`);
  return { combinations: problems.length > 0 ? [] : found, problems };
}

/** The rows of a case, each with the usual values of the parameters that it leaves out. */
export const completeRows = ({ rows = [], usual }: Pick<RawCase, 'rows' | 'usual'>): Record<string, ParamValue>[] =>
  rows.map((row) => ({ ...row, ...usual, ...row }));

interface Axis {
  name: string;
  values: ParamValue[];
}

/** Allowed values by parameter. */
type Filter = ReadonlyMap<string, readonly ParamValue[]>;

const matches = (filter: Filter, params: Params): boolean =>
  [...filter].every(([name, values]) => values.some((value) => sameValue(value, params[name]!)));

function product(axes: readonly Axis[], rows: readonly Params[]): Params[] {
  return axes.reduce<readonly Params[]>(
    (all, { name, values }) => all.flatMap((params) => values.map((value) => ({ ...params, [name]: value }))),
    rows,
  ) as Params[];
}

/** The parameters of a table with their values. */
const columnsOf = (rows: readonly Params[]): Axis[] =>
  Object.keys(rows[0] ?? {}).map((name) => ({ name, values: rows.map((row) => row[name]!) }));

class MatrixChecker {
  readonly problems: SuiteProblem[] = [];
  readonly sets: Sets;
  readonly document: LocatedYaml;
  readonly path: DocumentPath;

  constructor(sets: Sets, document: LocatedYaml, path: DocumentPath) {
    this.sets = sets;
    this.document = document;
    this.path = path;
  }

  report(inner: DocumentPath, message: string, more?: Partial<SuiteProblem>): void {
    this.problems.push(this.document.problem([...this.path, ...inner], message, more));
  }

  /** Every row has the same parameters, and no two rows are the same. */
  rows(written: readonly Record<string, ParamValue>[], unnamed: readonly string[]): Params[] {
    const names = Object.keys(written[0] ?? {});
    for (const [i, row] of written.entries()) {
      const at = ['rows', i];
      if (Object.keys(row).sort().join() !== names.toSorted().join()) {
        this.report(at, 'a row with other parameters than the first', {
          expected: names.join(', '),
          got: Object.keys(row).join(', '),
        });
      }
      for (const [name, value] of Object.entries(row)) {
        this.checkName(name, [...at, name]);
        if (!unnamed.includes(name)) this.checkText(value, [...at, name]);
      }
      const first = written.findIndex((other) => JSON.stringify(other) === JSON.stringify(row));
      if (first < i) this.report(at, 'the same row twice');
    }
    return written.map((row) => Object.fromEntries(names.map((name) => [name, row[name]!])));
  }

  unnamed(names: readonly string[], rows: readonly Params[]): void {
    const known = Object.keys(rows[0] ?? {});
    for (const [i, name] of names.entries()) {
      if (!known.includes(name))
        this.report(['unnamed', i], `no parameter ${show(name)} in the rows`, { help: didYouMean(name, known) });
    }
    const ids = rows.map((row) => JSON.stringify(known.filter((name) => !names.includes(name)).map((n) => row[n])));
    const twice = ids.findIndex((id, i) => ids.indexOf(id) !== i);
    if (twice >= 0) this.report(['rows', twice], 'an id like that of another row', { help: 'name more parameters' });
  }

  axis(name: string, list: ParamValue[] | string, row: Params | undefined): Axis {
    const at = ['matrix', name];
    if (row && Object.hasOwn(row, name)) this.report(at, `$${name} is already a parameter of the rows`);
    this.checkName(name, at);
    const written = typeof list === 'string' ? [list] : list;
    const values: ParamValue[] = [];
    for (const [i, item] of written.entries()) {
      const inner = typeof list === 'string' ? at : [...at, i];
      for (const value of this.members(item, inner)) {
        if (values.some((other) => valueText(other) === valueText(value))) {
          this.report(inner, `value ${valueText(value)} twice in one parameter`);
        } else {
          values.push(value);
        }
      }
    }
    return { name, values };
  }

  filter(entry: Record<string, ParamValue>, axes: readonly Axis[], at: DocumentPath): Filter {
    const filter = new Map<string, readonly ParamValue[]>();
    for (const [name, item] of Object.entries(entry)) {
      const axis = axes.find((candidate) => candidate.name === name);
      if (!axis) {
        const names = axes.map((candidate) => candidate.name);
        this.report([...at, name], `no parameter ${show(name)} in the matrix`, { help: didYouMean(name, names) });
        continue;
      }
      filter.set(name, this.members(item, [...at, name]));
    }
    return filter;
  }

  /** The members of a set for `$set`, otherwise the value itself. */
  members(item: ParamValue, at: DocumentPath): readonly ParamValue[] {
    if (typeof item === 'string' && item.startsWith('$')) {
      const name = item.slice(1);
      const set = this.sets.get(name);
      if (!set) {
        const near = closest(name, this.sets.keys());
        const help = near === undefined ? undefined : `did you mean "$${near}"?`;
        this.report(at, `unknown set ${show(item)}`, {
          expected: `one of ${[...this.sets.keys()].map((k) => `$${k}`).join(', ')}`,
          help,
        });
        return [];
      }
      for (const value of set) this.checkText(value, at);
      return set;
    }
    this.checkText(item, at);
    return [item];
  }

  private checkName(name: string, at: DocumentPath): void {
    if ((RUNNER_BINDINGS as readonly string[]).includes(name))
      this.report(at, `the runner binds $${name}`, { help: 'give the parameter another name' });
  }

  private checkText(value: ParamValue, at: DocumentPath): void {
    if (typeof value === 'string' && !/^[A-Za-z0-9_.+\-/:@%]+$/.test(value)) {
      this.report(at, 'value cannot be part of an id', {
        expected: 'letters, digits and _ . + - / : @ %',
        got: show(value),
      });
    }
  }
}
