import { asJson } from '../base/as-json.ts';
import type { Run } from '../model/run.ts';
import { partText, recordedVerdict } from '../verdict/verdict.ts';

/** Colours of shields.io by exit code; blue if a part of the cases passed; grey if the run says nothing about the plugin. */
const COLORS: Readonly<Record<number, string>> = { 0: 'brightgreen', 1: 'red', 4: 'orange' };

/** A badge as the endpoint of shields.io reads it (https://shields.io/badges/endpoint-badge, schema version 1). */
export function writeBadge(run: Run, write: (chunk: string) => void): void {
  const { exitCode, name } = recordedVerdict(run);
  const { pass, warn } = run.counts;
  const part = partText(run);
  const tried = run.cases.size - run.counts.unsupported - run.counts.skip;
  const passed = `${pass + warn} of ${tried} cases${part === undefined ? '' : ` (${part})`}`;
  const message = exitCode === 0 || exitCode === 1 ? passed : name;
  const badge = {
    schemaVersion: 1,
    label: 'PJRT conformance',
    message,
    color: exitCode === 0 && part !== undefined ? 'blue' : (COLORS[exitCode] ?? 'lightgrey'),
    isError: exitCode === 1,
  };
  write(asJson(badge));
}
