import { DEBUGGERS, type DebuggerName } from '../../host/debuggers/kinds.ts';
import type { TracePermission } from '../../host/debuggers/permission.ts';
import { type Finding, finding } from './finding.ts';

/** What `--gdb`, `--lldb`, `--rr` and `--backtrace` would find here. */
export interface DebuggersHere {
  /** Path of each that is installed. */
  paths: Readonly<Partial<Record<DebuggerName, string>>>;
  permission: TracePermission | undefined;
}

/** Which debuggers are installed, and whether they may attach: never a cause, because no plugin needs them. */
export function debuggerFinding({ paths, permission }: DebuggersHere): Finding {
  const names = Object.keys(DEBUGGERS) as DebuggerName[];
  const installed = names.filter((name) => paths[name] !== undefined);
  const what =
    installed.length === 0 ? 'no debugger is installed' : `debuggers that are installed: ${installed.join(', ')}`;
  return finding('debuggers', 'ok', what, [
    ...names.map((name) => `${name}: ${paths[name] ?? `not installed (${DEBUGGERS[name].install})`}`),
    ...(permission ? permissionTexts(permission) : []),
  ]);
}

/** By the documentation of Yama (Documentation/admin-guide/LSM/Yama.rst); workers permit any process of their user. */
const SCOPES: Readonly<Record<number, (capable: boolean) => string>> = {
  0: () => 'they may attach to any process of their user',
  1: () => 'they may attach to processes that permit it, as workers do',
  2: (capable) =>
    `they may attach with CAP_SYS_PTRACE only, which this process ${capable ? 'has' : 'lacks; a container needs --cap-add=SYS_PTRACE'}`,
  3: () => 'nobody may attach to a process, until the machine is started again',
};

function permissionTexts({ scope, capable, filtered }: TracePermission): string[] {
  const yama =
    scope === undefined
      ? `no kernel.yama.ptrace_scope: ${SCOPES[0]!(capable)}`
      : `kernel.yama.ptrace_scope is ${scope}: ${SCOPES[scope]?.(capable) ?? 'a value that this tool does not know'}`;
  const filter = 'a seccomp filter is in effect, as in a container, and may forbid ptrace';
  return [yama, ...(filtered ? [filter] : [])];
}
