/**
 * `npm run record:golden -- NAME LOG`: makes a golden log for the tests of the console from the event log of a real run.
 */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packagePath } from '../../harness/base/paths.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import { readEvents } from '../../harness/report/log.ts';
import { runTool } from '../run-tool.ts';
import { compactLog } from './compact-log.ts';

const USAGE = `usage: npm run record:golden -- NAME LOG
  NAME   of the golden log: harness/report/golden/NAME.jsonl.gz
  LOG    events.jsonl of a real run`;

const args = process.argv.slice(2);

await runTool(USAGE, args.includes('--help'), async () => {
  const [name, log] = args;
  if (name === undefined || log === undefined) throw new UsageError(USAGE);
  const events = [...readEvents(log)];
  const header = events[0];
  const paths = header?.type === 'header' ? header.plugins.map(({ path }) => path) : [];
  const replacements = paths.map((path) => [path, `./${basename(path)}`] as const);
  const lines = [...compactLog(events, replacements)].map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(packagePath('harness', 'report', 'golden', `${name}.jsonl.gz`), gzipSync(lines.join(''), { level: 9 }));
  return true;
});
