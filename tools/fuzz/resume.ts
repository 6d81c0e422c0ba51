import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exitCode } from '../../harness/verdict/exit-codes.ts';
import type { CommandOutput } from '../command-line/command.ts';
import { resealed, splitLines } from './logs.ts';
import { mutant } from './mutate.ts';
import type { Random } from './random.ts';
import type { Ground, Maker, Surface } from './surface.ts';
import { type Words, wordsOf } from './words.ts';

/** Short cases that need no client: the subject is resuming, not the cases. */
const SUITE = `suite: short
description: Short cases.
cases:
  - id: attributes
    description: Attributes can be read.
    covers: [PLG-ATT-001]
    client: none
    matrix: { n: [0, 1, 2, 3, 4, 5] }
    steps:
      - call: PJRT_Plugin_Attributes
`;

const LOG = 'in/events.jsonl';

/** Logs of runs that were killed, or that are incomplete, changed before they are resumed. */
export const resumeSurface: Surface = {
  name: 'resume',
  file: 'events.jsonl',
  syntax: 'jsonl',
  slow: true,
  maker: async (ground) => resumeMaker(await validLog(ground), wordsOf('events.schema.json')),
  args: ['run', '--resume', LOG, '--quiet', '--no-github'],
  places: placesOf,
  after: lostResults,
};

/** The log of a whole run, made where it will be resumed: it has the paths of its directory, plugin and suites. */
async function validLog({ sandbox, plugin, command }: Ground): Promise<Buffer> {
  if (plugin === undefined) throw new Error('resume needs a plugin');
  const directory = join(sandbox.cwd, 'given');
  mkdirSync(directory);
  cpSync(plugin, join(directory, 'pjrt-plugin-example.so'), { dereference: true });
  writeFileSync(join(directory, 'short.yaml'), SUITE);
  const selection = ['--plugin', './given/pjrt-plugin-example.so', '--suites', 'given/short.yaml', '--suite', 'short'];
  const places = ['--events', LOG, '--output', 'out'];
  const output = await command(['run', ...selection, ...places, '--workers', '1', '--no-fetch', '--no-github']);
  if (output.exitCode !== 0) throw new Error(`the run to be resumed failed:\n${output.stdout}${output.stderr}`);
  return readFileSync(join(sandbox.cwd, LOG));
}

function resumeMaker(valid: Buffer, words: Words): Maker {
  return (random) => {
    const log = random.chance(0.8) ? cutOff(random, valid) : valid;
    const changed = random.chance(0.15) ? log : mutant(random, [log], 'jsonl', words);
    return random.chance(0.7) ? resealed(changed) : changed;
  };
}

/** As after a kill: truncated after a line, or in the middle of one. */
function cutOff(random: Random, log: Buffer): Buffer {
  const lines = splitLines(log);
  const count = 1 + random.below(lines.length - 1);
  const whole = lines.slice(0, count).reduce((sum, line) => sum + line.length + 1, 0);
  return log.subarray(0, random.chance(0.5) ? whole : whole + random.below(lines[count]!.length + 1));
}

/** Reports go beside the log, and to the paths in its options. */
function placesOf(input: Buffer, cwd: string): string[] {
  const places = [join(cwd, 'in')];
  try {
    const { invocation } = JSON.parse(splitLines(input)[0]!.toString('utf8'));
    const { output, events, junit, json, report, expectations } = invocation.options;
    const named = [report ?? []].flat().map((entry: unknown) => String(entry).split('=')[1]);
    const at = (path: string): string => resolve(cwd, String(invocation.cwd), path);
    for (const path of [output, events, junit, json, ...named, ...[expectations ?? []].flat()]) {
      if (typeof path === 'string') places.push(at(path));
    }
    places.push(at('reports'));
  } catch {
    // A header that cannot be read has no paths.
  }
  return places;
}

/** A rejected log stays the same, byte for byte; a resumed one keeps every result. */
export function lostResults(input: Buffer, now: Buffer, { exitCode: code }: CommandOutput): string | undefined {
  if (code === exitCode('usage')) return now.equals(input) ? undefined : 'the log was refused, and changed';
  const lines = splitLines(input).slice(0, -1);
  const last = lines.findLastIndex((line) => typeOf(line) === 'case');
  const length = lines.slice(0, last + 1).reduce((sum, line) => sum + line.length + 1, 0);
  if (!now.subarray(0, length).equals(input.subarray(0, length))) return 'results were lost';
  // A footer without its line end is complete: there is nothing to resume.
  const end = splitLines(now).findLast((line) => line.length > 0);
  if (end === undefined || typeOf(end) !== 'footer') return 'the run went on and has no end';
  return undefined;
}

function typeOf(line: Buffer): string | undefined {
  try {
    return JSON.parse(line.toString('utf8'))?.type;
  } catch {
    return undefined;
  }
}
