import type { Run } from '../../harness/model/run.ts';
import { type Status, VIOLATING_STATUSES } from '../../harness/model/status.ts';
import { violatedRequirementsOf } from '../../harness/verdict/violated-requirements.ts';

/** What a run shows about requirements: those that its cases tried on the plugin, and those that the plugin violates. */
export interface PluginEvidence {
  /** C API version, `0.81`. */
  api: string;
  tried: string[];
  violated: string[];
}

/** Evidence by the name of the plugin. */
export type Evidence = Record<string, PluginEvidence>;

const TRIED: readonly Status[] = ['pass', ...VIOLATING_STATUSES];

/** The evidence of one run, sorted by requirement. */
export function evidenceOf(run: Run): PluginEvidence {
  const tried = new Set<string>();
  const violated = new Set<string>();
  for (const item of run.cases.values()) {
    if (item.result && TRIED.includes(item.result.status)) for (const id of item.plan.covers) tried.add(id);
    for (const id of violatedRequirementsOf(item)) violated.add(id);
  }
  const { major, minor } = run.plugins[0]?.apiVersion ?? { major: 0, minor: 0 };
  return { api: `${major}.${minor}`, tried: [...tried].sort(), violated: [...violated].sort() };
}

/** The evidence of several runs of one plugin together. */
export const united = (a: PluginEvidence, b: PluginEvidence): PluginEvidence => ({
  api: b.api,
  tried: [...new Set([...a.tried, ...b.tried])].sort(),
  violated: [...new Set([...a.violated, ...b.violated])].sort(),
});

/** Our own plugin, whose reading of the API is that of the suites. */
export const OWN = 'reference';

/** The plugins on which a requirement was tried, and those that violate it. */
export function evidenceFor(evidence: Evidence, id: string): { tried: string[]; violated: string[] } {
  const plugins = Object.entries(evidence);
  return {
    tried: plugins.filter(([, of]) => of.tried.includes(id)).map(([name]) => name),
    violated: plugins.filter(([, of]) => of.violated.includes(id)).map(([name]) => name),
  };
}
