import type { Environment } from '../../base/environment.ts';
import { programOnPath } from '../../base/program-on-path.ts';
import { type Examine, examineWith } from '../../host/debuggers/examine.ts';
import { DEBUGGERS } from '../../host/debuggers/kinds.ts';
import type { Event } from '../../model/events.ts';
import type { RunOptions } from '../plan/run-options.ts';

/** What looks at processes that are about to end, for `--backtrace`; says so if there is nothing, or it can't, each reason once. */
export function examiner(
  { backtrace }: RunOptions,
  env: Environment,
  record: (event: Event) => void,
): Examine | undefined {
  if (!backtrace) return undefined;
  const warn = (message: string): void =>
    record({ type: 'note', level: 'warning', message: `--backtrace: ${message}` });
  const gdb = process.platform === 'linux' ? programOnPath('gdb', env) : undefined;
  if (gdb === undefined) {
    const why =
      process.platform === 'linux' ? `gdb is not installed (${DEBUGGERS.gdb.install})` : 'they need Linux and gdb';
    warn(`there are no backtraces, because ${why}`);
    return undefined;
  }
  const said = new Set<string>();
  return examineWith(gdb, env, (why) => {
    if (said.has(why)) return;
    said.add(why);
    warn(`gdb could not look at a process that was about to end: ${why}; doctor says what is permitted here`);
  });
}
