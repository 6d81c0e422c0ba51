/**
 * `npm run check:reference`: every suite on the reference plugin at every API version that it can be, with and without
 * delay, as often as asked. Nothing may fail, and no verdict may change.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/paths.ts';
import type { JsonReport } from '../../harness/report/index.ts';

const USAGE = `usage: npm run check:reference -- [--minor N]... [--delay US]... [--repeat N] [--plugin PATH] [-- options of run]
  --minor   API versions (default: 60 81 90 105 107 114)
  --delay   microseconds before each piece of work of a device (default: 0 and 300)
  --repeat  runs of each (default: 1)
  --plugin  another build of the reference plugin, as with a sanitizer (default: reference)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minor: { type: 'string', multiple: true, default: ['60', '81', '90', '105', '107', '114'] },
    delay: { type: 'string', multiple: true, default: ['0', '300'] },
    repeat: { type: 'string', default: '1' },
    plugin: { type: 'string', default: 'reference' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const BAD = new Set(['fail', 'warn', 'crash', 'timeout', 'error', 'notrun', 'skip']);

/** Status by case id, and what was wrong. */
function verdicts(minor: string, delay: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'pjrt-reference-'));
  try {
    const args = ['run', '--plugin', values.plugin, '--quiet', '--output', folder, ...positionals];
    const { status, stderr } = spawnSync(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PJRT_REFERENCE_API_MINOR: minor, PJRT_REFERENCE_DELAY_US: delay },
    });
    if (status !== 0 && status !== 1) throw new Error(`exit code ${status}: ${stderr}`);
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as JsonReport;
    const cases = report.suites.flatMap((suite) => suite.cases);
    return new Map(
      cases.map((c) => [c.id, BAD.has(c.status) ? `${c.status}: ${c.findings?.[0]?.message ?? ''}` : c.status]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let wrong = 0;
for (const minor of values.minor) {
  let first: Map<string, string> | undefined;
  for (const delay of values.delay) {
    for (let i = 1; i <= Number(values.repeat); i++) {
      const seen = verdicts(minor, delay);
      const bad = [...seen].filter(([, status]) => !['pass', 'unsupported'].includes(status));
      const changed = [...seen].filter(([id, status]) => first && first.get(id) !== status);
      const count = (status: string) => [...seen.values()].filter((s) => s === status).length;
      console.log(
        `0.${minor} delay ${delay} us, run ${i}: ${count('pass')} passed, ${count('unsupported')} unsupported, ${bad.length} not passed, ${changed.length} changed`,
      );
      for (const [id, status] of bad) console.log(`  ${id}  ${status}`);
      for (const [id, status] of changed) console.log(`  ${id}  was ${first?.get(id)}, is ${status}`);
      wrong += bad.length + changed.length;
      first ??= seen;
    }
  }
}
process.exitCode = wrong > 0 ? 1 : 0;
