import type { CaseResult } from '../../model/case-result.ts';
import type { NamedRun } from '../compare/side.ts';

/**
 * The run without what a trend does not look at, in place: outputs, traces, numbers, and the details of findings are most of a
 * run, and a trend holds a hundred of them.
 */
export function leanRun(named: NamedRun): NamedRun {
  const { run } = named;
  for (const item of run.cases.values()) {
    item.attempts = undefined;
    if (item.result) item.result = leanResult(item.result);
  }
  run.workers = [];
  run.expectations = undefined;
  return named;
}

function leanResult(result: CaseResult): CaseResult {
  const { stdout: _, stderr: __, trace: ___, numerics: ____, observed: _____, attempts: ______, ...rest } = result;
  return {
    ...rest,
    findings: result.findings.map(({ detail: _, numbers: __, where: ___, backtrace: ____, ...finding }) => finding),
  };
}
