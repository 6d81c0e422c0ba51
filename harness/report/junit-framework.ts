import { cleanLine } from '../base/sanitize.ts';
import type { FrameworkVerdict } from '../model/framework-verdict.ts';
import { frameworkLine } from '../verdict/verdict.ts';
import type { Testcase } from './junit-document.ts';

/** A framework release as a case: red if the release does not work with the plugin. */
export function frameworkCase(verdict: FrameworkVerdict): Testcase {
  const { framework, version, outcome, message, limits, facts, untried, window } = verdict;
  const line = cleanLine(frameworkLine(verdict));
  const body = [
    line,
    ...(message === undefined ? [] : [`what the user sees: ${message}`]),
    ...limits.map((limit) => `limit: ${limit}`),
    ...untried.map((what) => `not tried: ${what}`),
    window.text,
    ...facts.map((fact) => `fact: ${fact}`),
  ].join('\n');
  const base = { name: `${framework}@${version}`, durationMs: 0 };
  if (outcome === 'works' || outcome === 'limits') return { ...base, out: body };
  if (outcome === 'unknown') return { ...base, element: 'skipped', message: `UNKNOWN: ${line}`, body };
  return { ...base, element: 'failure', type: `pjrt.Framework.${outcome}`, message: line, body };
}
