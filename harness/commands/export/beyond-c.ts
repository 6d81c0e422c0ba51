import type { RecordedLine } from '../../model/call-recording.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { Case } from '../../suite/types.ts';
import type { Translation } from './translate.ts';

/** Calls that a program for people to read may have. */
const MOST_CALLS = 5000;

/** Whether a case makes more calls than anybody reads: then it is not even translated. */
export function tooLong(lines: readonly RecordedLine[]): string | undefined {
  const begin = lines.findIndex((line) => line.k === 'case');
  const calls = lines.slice(begin + 1).filter(({ k }) => k === 'call').length;
  return calls > MOST_CALLS ? `it makes ${calls} calls, more than ${MOST_CALLS}` : undefined;
}

/** Why a case can't be a C program that ends as it did; empty if it can. */
export function beyondC({ client }: Case, result: CaseResult, translation: Translation | undefined): string[] {
  if (!translation) return ['the plugin could not be loaded'];
  const { beyond, calls, judged, unfinished } = translation;
  return [
    ...(result.status === 'unsupported' || result.status === 'skip'
      ? [`the case is ${result.status}: ${result.reason}`]
      : []),
    ...(result.status === 'error' ? [`an error of the harness or of the suite: ${result.reason}`] : []),
    ...(client === 'none' && calls === 0 && !judged ? ['the case makes no calls'] : []),
    ...beyond,
    ...(['fail', 'warn'].includes(result.status) && !judged
      ? [`no answer of a call shows it, only what the harness sees besides: ${result.findings[0]?.message}`]
      : []),
    ...(['crash', 'timeout'].includes(result.status) && unfinished === undefined
      ? [`no call was in progress: ${result.findings[0]?.message}`]
      : []),
  ];
}
