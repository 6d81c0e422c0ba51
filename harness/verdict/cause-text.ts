import { counted } from '../base/counted.ts';
import { accessText } from '../model/invalid-access.ts';
import { DEFECTS } from '../model/looks-like.ts';
import { type CauseEffect, EFFECTS, effectOf, type RootCause } from './root-causes.ts';

/** The defect on one line: `PJRT_Buffer_OnDeviceSizeInBytes is UNIMPLEMENTED`. */
export const causeText = (cause: RootCause): string =>
  (cause.after === undefined ? '' : `only after ${cause.after}: `) + defectText(cause);

function defectText(cause: RootCause): string {
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

/** A failed check: its message, or what its cases have in common, with one of their messages unless a known defect explains them all. */
export function checkText(cause: RootCause, message: string): string {
  const shared = wrongValuesText(cause);
  if (shared === undefined) return message;
  return cause.looksLike === undefined ? `${shared}, e.g. ${message}` : shared;
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

const DOES: Readonly<Record<CauseEffect, readonly [one: string, many: string]>> = {
  failing: ['fails', 'fail'],
  warning: ['warns', 'warn'],
  excused: ['is known or expected', 'are known or expected'],
  blocked: ['could not be tried', 'could not be tried'],
};

/** `12 cases fail, 3 are known or expected, 340 could not be tried`: the same in every report. */
export function causeEffect(cause: RootCause): string {
  const counts = { ...cause, blocked: cause.blocked.length };
  return EFFECTS.filter((effect) => counts[effect] > 0)
    .map((effect, at) => {
      const words = DOES[effect];
      const noun = (verb: string, cases: string): string => (at === 0 ? `${cases} ${verb}` : verb);
      return counted(counts[effect], noun(words[0], 'case'), noun(words[1], 'cases'));
    })
    .join(', ');
}

const CAUSES: Readonly<Record<CauseEffect, readonly [one: string, many: string]>> = {
  failing: ['fails the run', 'fail the run'],
  warning: ['warns', 'warn'],
  excused: ['is known or expected', 'are known or expected'],
  blocked: ['only blocks cases', 'only block cases'],
};

/** How many root causes do what to the run. */
export function causeCounts(causes: readonly RootCause[]): Record<CauseEffect, number> {
  const counts = { failing: 0, warning: 0, excused: 0, blocked: 0 };
  for (const cause of causes) counts[effectOf(cause)]++;
  return counts;
}

/** `11 root causes: 5 fail the run, 2 warn, 4 only block cases`: the same in every report; undefined if there are none. */
export function causesLine(causes: readonly RootCause[]): string | undefined {
  if (causes.length === 0) return undefined;
  const counts = causeCounts(causes);
  const parts = EFFECTS.filter((effect) => counts[effect] > 0).map((effect) =>
    counted(counts[effect], ...CAUSES[effect]),
  );
  return `${counted(causes.length, 'root cause')}: ${parts.join(', ')}`;
}
