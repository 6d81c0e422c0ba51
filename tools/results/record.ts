/**
 * `npm run record:results`: runs plugins that need no hardware as submissions, and renders their results. Nothing of it is
 * committed but the pictures.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import { mustpassReleases } from '../../harness/verdict/mustpass/release.ts';
import { openFile, startChromium } from '../../tests/support/chromium.ts';
import { resolveHere } from '../resolve-here.ts';
import { runTool } from '../run-tool.ts';
import { SEEDS, type Seed } from './seeds.ts';

const USAGE = `usage: record:results DIR [--profile PROFILE] [--only PRODUCT]… [--pictures]
  DIR         gets results/, with the submissions, and site/; a submission that is there already is kept
  --profile   instead of full
  --only      only this product (repeatable): ${[...new Set(SEEDS.map(({ product }) => product))].join(', ')}
  --pictures  pictures of the site for the documents (docs/images); needs Chromium`;

const COMMAND = packagePath('dist', 'cli', 'main.js');
const SHOTS = [
  { name: 'results-matrix', file: 'index.html' },
  { name: 'results-run', file: 'example/xla-cpu/0.81/index.html' },
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string' },
    only: { type: 'string', multiple: true },
    pictures: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

await runTool(USAGE, values.help === true, async () => {
  if (positionals.length !== 1) throw new UsageError(USAGE);
  const directory = resolve(positionals[0]!);
  for (const seed of SEEDS.filter(({ product }) => values.only?.includes(product) ?? true))
    await submit(seed, directory);
  const site = join(directory, 'site');
  rmSync(site, { recursive: true, force: true });
  const valid = command(['results', 'render', join(directory, 'results'), '--output', site], [0]);
  if (values.pictures) await pictures(site);
  return valid;
});

/** Runs a plugin and packs the run as a submission. */
async function submit({ product, version, plugin, profile, minor }: Seed, directory: string): Promise<void> {
  const place = join(directory, 'results', 'example', product, version);
  if (existsSync(join(place, 'bundle.zip'))) return;
  mkdirSync(place, { recursive: true });
  const { library, sha256 } = await resolveHere(plugin);
  const list = {
    version: mustpassReleases().at(-1)!.version,
    profile: profile === 'full' ? (values.profile ?? profile) : profile,
  };
  const statement = join(place, 'statement.yaml');
  const device = profile === 'no-device' ? 'none: the plugin ran on a machine without its device' : 'none: host memory';
  writeFileSync(
    statement,
    stringify({
      product: { vendor: 'example', name: product, version },
      plugin: { file: basename(library), sha256 },
      mustpass: list,
      hardware: device,
      driver: 'none',
      contact: 'https://example.com/',
    }),
  );
  console.log(`${product} ${version}: runs`);
  const reports = join(directory, 'runs', `${product}-${version}`);
  const env: Record<string, string> = minor === undefined ? {} : { PJRT_REFERENCE_API_MINOR: String(minor) };
  const options = ['--mustpass', list.version, '--profile', list.profile, '--statement', statement];
  const how = ['--output', reports, '--junit-hostname', 'build-host', '--quiet', '--no-config'];
  command(['run', '--plugin', plugin, ...options, ...how], [0, 1], env);
  command(['bundle', reports], [0]);
  copyFileSync(join(reports, 'bundle.zip'), join(place, 'bundle.zip'));
}

/** Runs the command. @returns whether it ended as it may */
function command(args: readonly string[], allowed: readonly number[], env: Record<string, string> = {}): boolean {
  const { status, signal } = spawnSync(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TPU_SKIP_MDS_QUERY: '1', ...env },
  });
  if (allowed.includes(status!)) return true;
  console.error(`${args.join(' ')}: ended with ${signal ?? status}`);
  return false;
}

async function pictures(site: string): Promise<void> {
  const browser = await startChromium();
  try {
    for (const { name, file } of SHOTS) {
      const { page } = await openFile(browser, join(site, file), '', { colorScheme: 'light' });
      await page.screenshot({ path: packagePath('docs', 'images', `${name}.png`) });
      await page.context().close();
    }
  } finally {
    await browser.close();
  }
}
