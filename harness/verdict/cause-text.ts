import { counted } from '../base/counted.ts';
import { accessText } from '../model/invalid-access.ts';
import { DEFECTS } from '../model/looks-like.ts';
import type { RootCause } from './root-causes.ts';

/** The defect on one line: `PJRT_Buffer_OnDeviceSizeInBytes is UNIMPLEMENTED`. */
export function causeText(cause: RootCause): string {
  const { kind, call, calls = [], code, signal, exitCode, access, sporadic, dtype, said, finding } = cause;
  const words = said === undefined ? '' : `: ${said}`;
  switch (kind) {
    case 'death': {
      if (finding?.type === 'pjrt.MemoryOverrun' || finding?.type === 'pjrt.OutOfMemory') return finding.message;
      const how = signal === undefined ? `exits with code ${exitCode ?? 'unknown'}` : `dies with ${signal}`;
      const why = access && accessText(access);
      return `${sporadic ? 'sporadic: ' : ''}the process ${how} ${call === undefined ? 'outside any native call' : `in ${call}`}${why === undefined ? '' : `: ${why}`}`;
    }
    case 'hang':
      return call === undefined ? 'the process hangs outside any native call' : `${call} does not return in time`;
    case 'null':
      return call === undefined
        ? `${counted(calls.length, 'function is', 'functions are')} NULL: ${calls.join(', ')}`
        : `${call} is NULL`;
    case 'unimplemented':
      return `${call} is UNIMPLEMENTED${words}`;
    case 'refused':
      return `${dtype} is refused with ${code ?? 'an error'} by ${call}${words}`;
    case 'absent':
      return absenceText(call ?? 'it');
    case 'error':
      return `${call} returns ${code}${words}`;
    case 'check':
      return checkText(cause, finding?.message ?? 'a check failed');
  }
}

/** A failed check; where its cases have numbers of their own, with the message of one of them. */
export function checkText(cause: RootCause, message: string): string {
  const shared = wrongValuesText(cause);
  return shared === undefined ? message : `${shared}, e.g. ${message}`;
}

/** What cases in which arrays differ have in common: `wrong results of exponential`; undefined of other causes. */
export function wrongValuesText({ op, area, looksLike }: RootCause): string | undefined {
  if (looksLike !== undefined) return `${DEFECTS[looksLike].call}: ${DEFECTS[looksLike].text}`;
  if (op !== undefined) return `wrong results of ${op}`;
  return area === undefined ? undefined : `wrong values in ${area}`;
}

/** A function of the C API, one of an extension (`Layouts.PJRT_…`), or an extension that the plugin does not have. */
function absenceText(name: string): string {
  const [extension, slot] = name.split('.');
  if (slot !== undefined) return `${slot} is not in the plugin's ${extension} extension`;
  return name.startsWith('PJRT_') ? `${name} is not in the plugin's function table` : `there is no ${name} extension`;
}

/** `12 cases fail, 340 more could not be tried`. */
export function causeEffect({ failed, blocked, level }: RootCause): string {
  const verb = level === 'must' ? 'fail' : 'warn';
  const broke = failed.length > 0 ? counted(failed.length, `case ${verb}s`, `cases ${verb}`) : '';
  if (blocked.length === 0) return broke;
  return broke === ''
    ? `${counted(blocked.length, 'case')} could not be tried`
    : `${broke}, ${blocked.length} more could not be tried`;
}
