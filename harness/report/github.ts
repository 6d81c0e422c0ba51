import { withoutCommands } from '../base/guarded-output.ts';
import type { Run } from '../model/run.ts';
import { isUnexpectedPass } from '../verdict/breach.ts';
import { byCause, type CauseIndex, causeIndex } from '../verdict/cause-index.ts';
import { staleEntries, staleText } from '../verdict/expectations.ts';
import { sharedCause } from './cause-lines.ts';
import type { RequirementTexts } from './format.ts';
import { withSource } from './requirement-source.ts';
import { type Violation, violations } from './violations.ts';

/** GitHub shows this many annotations of a kind per step and silently drops the others. */
const ANNOTATIONS = 10;

/** Workflow commands that annotate a pull request: https://docs.github.com/actions/reference/workflow-commands */
export function githubAnnotations(run: Run, texts: RequirementTexts = {}): string[] {
  const index = causeIndex(run);
  const violated = [...violations(run)].filter(({ excuse }) => excuse === undefined);
  const annotations = (['must', 'should'] as const).flatMap((level) => {
    const entries = firstOfEachCause(
      violated.filter((entry) => entry.level === level),
      index,
    );
    const command = level === 'must' ? 'error' : 'warning';
    const shown = entries.length > ANNOTATIONS ? ANNOTATIONS - 1 : entries.length;
    const lines = entries.slice(0, shown).map(({ item, file, line, requirement, message, reproduce }) => {
      const cause = sharedCause(index.of(item.plan.id));
      const properties = `file=${property(file)},line=${line},title=${property(requirement)}`;
      const rule = withSource(requirement, texts);
      const lines = [message, rule && `${requirement}: ${rule}`, cause, `reproduce: ${reproduce}`];
      return `::${command} ${properties}::${data(lines.filter(Boolean).join('\n'))}`;
    });
    const rest = entries.length - shown;
    return rest === 0 ? lines : [...lines, `::${command}::${rest} more of the same kind; the reports list all`];
  });
  return [...annotations, ...outdated(run).slice(0, ANNOTATIONS)];
}

/** Because few are shown: one case of each root cause first, the most severe first; then the others. */
function firstOfEachCause(entries: readonly Violation[], index: CauseIndex): Violation[] {
  const groups = byCause(index, entries, ({ item }) => item.plan.id);
  return [...groups.map(([, [first]]) => first!), ...groups.flatMap(([, [, ...others]]) => others)];
}

/** Stale entries of expectations files, at their own lines. */
function outdated(run: Run): string[] {
  const notice = (file: string, line: number, text: string): string =>
    `::notice file=${property(file)},line=${line},title=expectation::${data(text)}`;
  const passed = [...run.cases.values()].flatMap(({ plan, result }) => {
    if (!result?.expectation || !isUnexpectedPass(result)) return [];
    const { file, line } = result.expectation;
    return [notice(file, line, `${plan.id} is expected to fail but passes`)];
  });
  const stale = staleEntries(run).map((entry) => notice(entry.file, entry.line, staleText(entry)));
  return [...passed, ...stale];
}

const data = (text: string): string =>
  withoutCommands(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
