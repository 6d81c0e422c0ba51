import type { Environment } from '../../base/environment.ts';
import { programOnPath } from '../../base/program-on-path.ts';
import { type Examine, examineWith } from '../../host/debuggers/examine.ts';
import type { Event } from '../../model/events.ts';
import type { RunOptions } from '../plan/run-options.ts';

/** What looks at processes that are about to end, for `--backtrace`; says so if there is nothing. */
export function examiner(
  { backtrace }: RunOptions,
  env: Environment,
  record: (event: Event) => void,
): Examine | undefined {
  if (!backtrace) return undefined;
  const gdb = process.platform === 'linux' ? programOnPath('gdb', env) : undefined;
  if (gdb === undefined) {
    const why =
      process.platform === 'linux'
        ? 'gdb is not installed (apt install gdb, dnf install gdb)'
        : 'they need Linux and gdb';
    record({ type: 'note', level: 'warning', message: `--backtrace: there are no backtraces, because ${why}` });
    return undefined;
  }
  return examineWith(gdb, env);
}
