import {
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type ToStringOptions,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { groupedBy } from '../base/grouping.ts';
import type { CaseRun, Run } from '../model/run.ts';
import type { Status } from '../model/status.ts';
import { matchesCase } from '../suite/case-glob.ts';
import { isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import { parseExpectations } from '../verdict/expectations/load.ts';
import { failsRun } from '../verdict/standing.ts';
import { namedRequirementsOf } from '../verdict/violated-requirements.ts';
import { headline, rankedFindings } from './failure-text.ts';

/** The result of an update. */
export interface Update {
  /** Undefined if nothing had to change. */
  text?: string;
  added: number;
  changed: number;
  removed: number;
}

/**
 * The expectations file that would have made this run pass. What people wrote is kept: reasons, comments, order, expired
 * entries. An unexpected failure gets an entry, together with those of its family that fail alike. Cases that passed are
 * removed from their entry, and an entry is removed if all of its cases passed.
 * @param text of the file, undefined if there is none yet
 * @param file its name in reports
 * @param ids of all existing cases
 */
export function updatedExpectations(text: string | undefined, file: string, run: Run, ids: readonly string[]): Update {
  const weighing = run.header?.options ?? {};
  const document = parseDocument(text ?? firstText(run), { keepSourceTokens: true });
  const list = document.get('expectations') as YAMLSeq;
  list.flow = false;
  const update: Update = { added: 0, changed: 0, removed: 0 };
  narrow(list, text === undefined ? [] : linesOf(text, file), run, file, ids, update);
  const violated = [...run.cases.values()].filter((item) => isUnexpected(item, weighing));
  const entries = newEntries(violated, ids).map((entry) => {
    const node = document.createNode(entry) as YAMLMap;
    const requirements = node.get('requirements');
    if (isSeq(requirements)) requirements.flow = true;
    return node;
  });
  // If an entry matches and is wrong, the new one must precede it, because the first one decides.
  const first = violated.some(({ result }) => result?.expectation) ? 0 : list.items.length;
  for (const [at, entry] of entries.entries()) {
    if (first + at > 0) entry.spaceBefore = true;
    list.items.splice(first + at, 0, entry);
  }
  if (first === 0 && entries.length > 0) spaceBefore(list.items[entries.length]);
  update.added = entries.length;
  if (text !== undefined && update.added + update.changed + update.removed === 0) return update;
  return { ...update, text: document.toString(styleOf(text ?? '')) };
}

/** Whether a case fails the run in a way that an entry could excuse. */
const isUnexpected = (item: CaseRun, weighing: Weighing): boolean =>
  failsRun(item, weighing) && !isUnexpectedPass(item.result) && item.result?.expectation?.outcome !== 'expired';

/** Formatting of a file, as far as the writer supports it. */
const styleOf = (text: string): ToStringOptions => ({
  lineWidth: 0,
  indentSeq: !/^expectations:[^\S\n]*\n-/m.test(text),
  flowCollectionPadding: /[[{] /.test(text) && !/\[[^\s\]]/.test(text),
});

function spaceBefore(node: unknown): void {
  if (isMap(node)) node.spaceBefore = true;
}

const firstText = (run: Run): string => {
  const plugin = run.header?.plugins[0]?.name ?? '';
  return [
    '# yaml-language-server: $schema=./node_modules/pjrt-conformance/schemas/expectations.schema.json',
    `# Expected failures of ${plugin}, and why: see docs/expectations.md of pjrt-conformance.`,
    `when: ${stringify({ plugin }, { collectionStyle: 'flow', flowCollectionPadding: false }).trim()}`,
    'expectations: []',
    '',
  ].join('\n');
};

/** The line of each entry, by which reports name it. */
const linesOf = (text: string, file: string): number[] => parseExpectations(text, file).entries.map(({ line }) => line);

/** Removes passed cases from the entries. */
function narrow(
  list: YAMLSeq,
  lines: readonly number[],
  run: Run,
  file: string,
  ids: readonly string[],
  update: Update,
): void {
  const passed = new Map<number, Set<string>>();
  for (const { plan, result } of run.cases.values()) {
    const mark = result?.expectation;
    if (mark?.outcome !== 'unexpected-pass' || mark.file !== file) continue;
    passed.set(mark.line, (passed.get(mark.line) ?? new Set()).add(plan.id));
  }
  list.items = list.items.filter((item, at) => {
    const gone = passed.get(lines[at]!);
    if (!gone || !isMap(item)) return true;
    const left = ids.filter((id) => casesOf(item).some((glob) => matchesCase(glob, id)) && !gone.has(id));
    if (left.length === 0) {
      update.removed++;
      return false;
    }
    const globs = globsOf(left, ids);
    item.set('cases', globs.length === 1 ? globs[0] : globs);
    update.changed++;
    return true;
  });
}

const casesOf = (item: YAMLMap): string[] => {
  const cases: unknown = item.get('cases', true);
  if (isSeq(cases)) return cases.items.map((one) => String(isScalar(one) ? one.value : one));
  return isScalar(cases) ? [String(cases.value)] : [];
};

interface NewEntry {
  cases: string | string[];
  expect: Status;
  reason: string;
  requirements?: string[];
}

/** Entries for failing cases: one for those of a family that fail alike. */
function newEntries(violated: readonly CaseRun[], ids: readonly string[]): NewEntry[] {
  const groups = groupedBy(violated, ({ plan, result }) =>
    [familyOf(plan.id), result!.status, rankedFindings(result!)[0]?.type].join('\0'),
  );
  return [...groups.values()].map((items) => {
    const globs = globsOf(
      items.map(({ plan }) => plan.id),
      ids,
    );
    const requirements = [...new Set(items.flatMap(({ result }) => namedRequirementsOf(result!)))].sort();
    return {
      cases: globs.length === 1 ? globs[0]! : globs,
      expect: items[0]!.result!.status,
      reason: `TODO say why: ${headline(items[0]!)}`,
      ...(requirements.length > 0 ? { requirements } : {}),
    };
  });
}

/** As few globs as possible for a set of cases: a family of which all cases are included is one glob. */
export function globsOf(chosen: readonly string[], all: readonly string[]): string[] {
  const wanted = new Set(chosen);
  const families = groupedBy(all, familyOf);
  const globs = chosen.map((id) => {
    const family = families.get(familyOf(id)) ?? [id];
    return family.every((one) => wanted.has(one)) ? familyOf(id) : id;
  });
  return [...new Set(globs)];
}

/** A case id without parameters; as a glob it matches all combinations. */
const familyOf = (id: string): string => id.split('[', 1)[0]!;
