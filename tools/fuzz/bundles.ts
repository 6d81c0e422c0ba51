import { createHash } from 'node:crypto';
import { type BundledFile, bundleManifest } from '../../harness/commands/bundle/manifest.ts';
import { makeZip, type ZipEntry } from '../../harness/host/plugins/make-zip.test-helper.ts';
import type { Event } from '../../harness/model/events.ts';
import { foldRun } from '../../harness/model/run.ts';
import { writeJson } from '../../harness/report/json.ts';
import { writeJunit } from '../../harness/report/junit.ts';
import { logBytes, resealed } from './logs.ts';
import { mutant, mutateBytes } from './mutate.ts';
import { CANARY } from './nasty.ts';
import type { Maker } from './surface.ts';
import { wordsOf } from './words.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

interface BundleFile extends Pick<BundledFile, 'path' | 'role' | 'of'> {
  content: Buffer;
}

/** The files of a bundle, except the manifest. */
function bundleFiles(events: readonly Event[], log: Buffer): BundleFile[] {
  const run = foldRun(events);
  let junit = '';
  let json = '';
  writeJunit(run, (chunk) => (junit += chunk));
  writeJson(run, (chunk) => (json += chunk));
  return [
    { path: 'events.jsonl', role: 'log', content: log },
    { path: 'reports/junit.xml', role: 'report', of: 'junit', content: Buffer.from(junit) },
    { path: 'reports/report.json', role: 'report', of: 'json', content: Buffer.from(json) },
    ...run.suites.map(({ suite }): BundleFile => {
      return { path: `suites/${suite}.yaml`, role: 'suite', of: suite, content: Buffer.from(`suite: ${suite}\n`) };
    }),
  ];
}

function manifestBytes(events: readonly Event[], files: readonly BundleFile[]): Buffer {
  const listed = files.map(({ content, ...file }) => {
    return { ...file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  });
  const [header, footer] = [events[0] as Of<'header'>, events.at(-1) as Of<'footer'>];
  return Buffer.from(JSON.stringify(bundleManifest(header, footer, foldRun(events).plugins, listed)));
}

/** Names that must not be followed. */
const NAMES = [
  `../../${CANARY}`,
  `/tmp/${CANARY}`,
  `C:\\${CANARY}`,
  'suites/../../x',
  '__proto__',
  'manifest.json',
  'events.jsonl',
  '\x1b[31m',
  '',
  'a/',
  'x'.repeat(5000),
];

/** Bundles with a changed file, whose hashes in the manifest are correct or not, and damaged archives. */
export function bundleMaker(events: readonly Event[]): Maker {
  const words = wordsOf('bundle.schema.json');
  const wordsOfLogs = wordsOf('events.schema.json');
  const valid = bundleFiles(events, logBytes(events));
  return (random) => {
    const files = valid.map((file) => ({ ...file }));
    let manifest = manifestBytes(events, files);
    const at = random.below(files.length + 1);
    const file = files[at];
    if (!file) manifest = mutant(random, [manifest], 'json', words);
    else {
      const syntax = file.path.endsWith('.jsonl') ? 'jsonl' : file.path.endsWith('.json') ? 'json' : 'yaml';
      file.content = mutant(random, [file.content], syntax, wordsOfLogs);
      if (file.role === 'log' && random.chance(0.5)) file.content = resealed(file.content);
      if (random.chance(0.7)) manifest = manifestBytes(events, files);
    }
    const entries: ZipEntry[] = [
      { name: 'manifest.json', data: manifest },
      ...files.map(({ path, content }) => ({ name: path, data: content })),
    ];
    if (random.chance(0.2)) entries[random.below(entries.length)]!.name = random.pick(NAMES);
    if (random.chance(0.1)) entries.splice(random.below(entries.length), 1);
    if (random.chance(0.1)) entries.push({ name: random.pick(NAMES), data: Buffer.from('x') });
    if (random.chance(0.05)) entries[random.below(entries.length)]!.mode = random.pick([0o120777, 0o040755, 0o020666]);
    if (random.chance(0.05)) {
      entries[random.below(entries.length)]!.claimedSize = random.pick([0, 1, 0x7fffffff, 0xffffffff]);
    }
    const zip = makeZip(entries);
    return random.chance(0.4) ? mutateBytes(random, zip, [zip]) : zip;
  };
}
