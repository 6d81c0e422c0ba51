/**
 * `npm run check:versions`: the suites on right plugins of each version of the C API, on which no check may fail: the reference
 * plugin as each of them, and official plugins of old versions.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import { NEWEST_MINOR, OLDEST_MINOR } from '../../harness/knowledge/abi/index.ts';
import type { Run } from '../../harness/model/run.ts';
import { outcomeOf } from '../designs/outcome.ts';
import { manifestOf } from '../designs/plugin.ts';
import { groupsOf } from '../designs/report.ts';
import { runOn } from '../designs/run.ts';
import { resolveHere } from '../resolve-here.ts';
import { runTool } from '../run-tool.ts';

const USAGE = `usage: check:versions [--minor N]… [--official] [-- options of run]
  --minor     only this version of the C API (default: ${OLDEST_MINOR} to ${NEWEST_MINOR}), by the reference plugin
  --official  the official plugins of plugins/old instead, without a device; fetches each that is not there (100 MB)
Options of run are --profile standard by default. Exit code 1 when a MUST is violated, or the harness itself fails.`;

const OLD = packagePath('plugins', 'old');
const COMMAND = packagePath('dist', 'cli', 'main.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minor: { type: 'string', multiple: true, default: [] },
    official: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
await runTool(USAGE, values.help, async () => {
  let good = true;
  for await (const [name, run] of values.official ? official() : versions(values.minor.map(minorOf))) {
    const { violated, notes } = outcomeOf(run);
    const { pass, warn, unsupported } = run.counts;
    const fine = violated.length === 0 && notes.length === 0 && pass > 0;
    console.log(
      `${fine ? 'no false alarm' : 'FALSE ALARM   '}  ${name}: ${pass} passed, ${warn} warned, ${unsupported} unsupported, ${violated.length} violated`,
    );
    if (violated.length > 0) console.log(groupsOf(violated));
    for (const { message } of notes) console.log(`  ${message}`);
    good &&= fine;
  }
  return good;
});

/** The reference plugin as each of these versions. */
async function* versions(minors: readonly number[]): AsyncGenerator<[string, Run]> {
  const all = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, i) => OLDEST_MINOR + i);
  const plugin = await resolveHere('reference');
  const plain = manifestOf(undefined, { name: 'reference', plugin }, plugin.library);
  const more = positionals.length > 0 ? positionals : ['--profile', 'standard'];
  for (const minor of minors.length > 0 ? minors : all) {
    const manifest = { ...plain, env: { PJRT_REFERENCE_API_MINOR: String(minor) } };
    yield [`0.${minor}`, await runOn({ command: COMMAND, manifest, more })];
  }
}

/** The official plugins, as far as they work without a device. */
async function* official(): AsyncGenerator<[string, Run]> {
  for (const file of readdirSync(OLD)
    .filter((name) => name.endsWith('.yaml'))
    .sort()) {
    const { name, library } = await resolveHere(join(OLD, file));
    yield [name, await runOn({ command: COMMAND, manifest: { name, library }, more: ['--profile', 'no-device'] })];
  }
}

function minorOf(text: string): number {
  const minor = Number(text);
  if (Number.isInteger(minor) && minor >= OLDEST_MINOR && minor <= NEWEST_MINOR) return minor;
  throw new UsageError(`check:versions: --minor ${text}: expected a number from ${OLDEST_MINOR} to ${NEWEST_MINOR}`);
}
