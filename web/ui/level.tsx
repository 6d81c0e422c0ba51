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

/** The level of a case or of a requirement. */
export const LevelChip = ({ level }: { level: Level }) => (
  <abbr class={`level l-${level}`} title={LEVEL_MEANINGS[level]}>
    {level.toUpperCase()}
  </abbr>
);
