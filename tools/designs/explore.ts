/** `npm run explore:designs`: random sessions with valid plugins of other designs. A violation of a MUST that the plain base has not is a false alarm. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import type { Finding, State } from '../../harness/commands/explore/state.ts';
import { snapshotCommand } from '../mutation/runs.ts';
import { resolveHere } from '../resolve-here.ts';
import { runTool } from '../run-tool.ts';
import { baseName, designNames, loadDesign } from './design.ts';
import { type Base, libraryOf, manifestOf, writeManifest } from './plugin.ts';

const USAGE = `usage: explore:designs [--base xla-cpu|reference] [--design NAME]… [--budget TIME] [--seed N] [--devices N]
  --base     the plugin that designs are made of (default: reference)
  --design   only these, of plugins/designs (default: each without a defect)
  --budget   time for each (default: 1m)
  --seed     seed of the sessions (default: 1)
  --devices  devices on which sessions play (default: 2)
Exit code 1 when sessions find a violated MUST that they do not find on the plain base.`;

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'reference' },
    design: { type: 'string', multiple: true },
    budget: { type: 'string', default: '1m' },
    seed: { type: 'string', default: '1' },
    devices: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});
await runTool(USAGE, values.help, main);

async function main(): Promise<boolean> {
  const name = baseName(values.base);
  const base: Base = { name, plugin: await resolveHere(name) };
  const command = snapshotCommand(readFileSync(packagePath('dist', 'suites.json'), 'utf8'));
  const designs = (values.design ?? designNames())
    .map(loadDesign)
    .filter(({ bases, defect }) => (bases?.includes(name) ?? true) && (values.design || defect === undefined));
  const plain = await findingsOn(undefined);
  let good = true;
  for (const design of designs) {
    const alarms = (await findingsOn(design)).filter(
      ({ signatures }) => !plain.some((one) => signatures.some((signature) => one.signatures.includes(signature))),
    );
    good &&= alarms.length === 0;
  }
  return good;

  async function findingsOn(design: (typeof designs)[number] | undefined): Promise<Finding[]> {
    const directory = scratchDirectory('explore-design');
    try {
      const manifest = writeManifest(directory, manifestOf(design, base, await libraryOf(design, base)));
      const { seed, budget, devices } = values;
      const how = ['--seed', seed, '--budget', budget, '--devices', devices, '--format', 'json', '--no-fetch'];
      const args = [command, 'explore', '--plugin', manifest, ...how, '--output', join(directory, 'out')];
      const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.on('data', (chunk) => (said += chunk));
      const code = await new Promise((resolve) => child.on('close', resolve));
      if (!said.startsWith('{')) throw new Error(`explore ended with ${code} on ${design?.name ?? 'the plain base'}`);
      const { findings, next, moves } = JSON.parse(said) as State;
      const grave = findings.filter(({ level }) => level === 'must');
      console.log(
        `${design?.name ?? `plain ${name}`}: ${next} sessions, ${moves} moves, ${findings.length} findings, ${grave.length} of them of a MUST`,
      );
      for (const { message, requirements, level, actions } of findings)
        console.log(
          `  ${level} ${requirements.join(', ')}: ${message}\n      after ${actions.map(({ move }) => move).join(' → ')}`,
        );
      return grave;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
