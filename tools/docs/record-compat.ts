/** `npm run record:compat`: stores the result of `compat xla-cpu` for docs/compatibility.md. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { RECORD_FILE, type RecordedTable, rowsOf } from './recorded.ts';

const PLUGIN = 'xla-cpu';

const answer = execFileSync(
  process.execPath,
  [packagePath('dist', 'cli', 'main.js'), 'compat', PLUGIN, '--format', 'json'],
  { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] },
);
const table: RecordedTable = { plugin: PLUGIN, rows: rowsOf(answer) };
writeFileSync(RECORD_FILE, `${JSON.stringify(table, null, 2)}\n`);
