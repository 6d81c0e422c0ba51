import { readFileSync } from 'node:fs';

/** What the system says of who may trace a process; undefined where it does not say (it is not Linux). */
export interface TracePermission {
  /** `kernel.yama.ptrace_scope`; undefined if the kernel has no Yama. */
  scope: number | undefined;
  /** Whether this process has CAP_SYS_PTRACE. */
  capable: boolean;
  /** A filter of system calls is in effect, as in many containers; nothing says what it forbids. */
  filtered: boolean;
}

const CAP_SYS_PTRACE = 19n;

/** What this process is permitted. @param proc the file system in which the system says it */
export function tracePermission(proc = '/proc'): TracePermission | undefined {
  const status = contentOf(`${proc}/self/status`);
  if (status === undefined) return undefined;
  const scope = contentOf(`${proc}/sys/kernel/yama/ptrace_scope`)?.trim();
  const [, capabilities = '0'] = /^CapEff:\s+([0-9a-f]+)$/m.exec(status) ?? [];
  return {
    scope: scope === undefined || !/^\d$/.test(scope) ? undefined : Number(scope),
    capable: ((BigInt(`0x${capabilities}`) >> CAP_SYS_PTRACE) & 1n) === 1n,
    filtered: /^Seccomp:\s+2$/m.test(status),
  };
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
