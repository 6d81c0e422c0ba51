/**
 * `npm run check:callers`: the own tests of other programs that call plugins, on right plugins. Every test passes, or
 * callers.yaml says why not.
 */
import { parseArgs } from 'node:util';
import { textTable } from '../../harness/base/text-table.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { runTool } from '../run-tool.ts';
import { differences, fetchCaller, loadCallers, runCaller } from './callers.ts';
import type { TestResult } from './reports.ts';

const USAGE = `usage: check:callers [--caller NAME] [--plugin GLOB]…
  --caller  only this caller of tools/callers/callers.yaml
  --plugin  only the plugins of callers.yaml whose name matches
A caller that cannot be fetched here is skipped. Exit code 1 when a result differs from callers.yaml.`;

const { values } = parseArgs({
  options: {
    caller: { type: 'string' },
    plugin: { type: 'string', multiple: true, default: ['*'] },
    help: { type: 'boolean', default: false },
  },
});
await runTool(USAGE, values.help, async () => {
  const { plugins, callers } = loadCallers();
  const rows = [['caller', 'plugin', 'pass', 'explained', 'different']];
  const problems: string[] = [];
  for (const [name, caller] of Object.entries(callers)) {
    if (values.caller !== undefined && values.caller !== name) continue;
    const fetched = fetchCaller(name, caller);
    if (typeof fetched === 'string') {
      rows.push([`${name} ${caller.version}`, `skipped: ${fetched.split('\n')[0]}`]);
      continue;
    }
    for (const [plugin, subject] of Object.entries(plugins)) {
      if (!values.plugin.some((glob) => matchesCase(glob, plugin))) continue;
      const results = await runCaller(caller, fetched, subject);
      const wrong = differences(plugin, caller, results);
      const others = [...results.values()].filter((result: TestResult) => result !== 'pass').length;
      const counts = [results.size - others, Math.max(0, others - wrong.length), wrong.length];
      rows.push([`${name} ${caller.version}`, plugin, ...counts.map(String)]);
      problems.push(...wrong.map((text) => `${name} on ${plugin}: ${text}`));
    }
  }
  console.log(textTable(rows).join('\n'));
  for (const problem of problems) console.log(problem);
  return problems.length === 0;
});
