import type { PlannedCase } from '../../harness/model/events.ts';

/** Levels of requirements; `caller` binds the framework. */
export type Level = PlannedCase['level'] | 'caller';

/** What a level means for the verdict. */
export const LEVEL_MEANINGS: Readonly<Record<Level, string>> = {
  must: 'every plugin has to do this: a violation fails the run',
  should: 'a violation warns, and fails the run with --strict',
  may: 'a violation only warns',
  opt: 'a plugin need not offer this; if it does, it has to work: a violation fails the run like one of a MUST',
  caller: 'this binds the framework, not the plugin: a violation only warns',
};

/** As what a violation counts: what is offered has to work. The same in every report. */
const COUNTS_AS: Readonly<Record<Level, 'must' | 'should'>> = {
  must: 'must',
  opt: 'must',
  should: 'should',
  may: 'should',
  caller: 'should',
};

/** The level of a case or of a requirement; of one that is violated, as what that counts. */
export function LevelChip({ level, violated = false }: { level: Level; violated?: boolean }) {
  const shown = violated ? COUNTS_AS[level] : level;
  return (
    <abbr class={`level l-${shown}`} title={LEVEL_MEANINGS[level]}>
      {shown.toUpperCase()}
    </abbr>
  );
}
