/**
 * `npm run fuzz -- --count 50000 --seed 1 [--surface log] [--from N] [--jobs N] [--sample N] [--out DIRECTORY]`: feeds randomly
 * changed files to the command's readers, and one of N to the command itself. It must answer each with a result or with an
 * error that says where, and must neither write a file elsewhere nor start a program. Otherwise the exit code is 1, and the
 * inputs are in the directory.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { textTable } from '../../harness/base/text-table.ts';
import { resolveHere } from '../resolve-here.ts';
import { type Defect, runCampaign, type Tally } from './campaign.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '1' },
    sample: { type: 'string', default: '300' },
    surface: { type: 'string', multiple: true },
    out: { type: 'string', default: join('reports', 'fuzz') },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const [count, jobs, first] = [Number(values.count), Number(values.jobs), Number(values.from)];
const began = performance.now();
let reportedAt = began;
let read = 0;
const { library: plugin } = await resolveHere('reference', { fetch: false });
const share = Math.ceil(count / jobs);
const campaigns = await Promise.all(
  Array.from({ length: jobs }, (_, job) => {
    const work = {
      seed: Number(values.seed),
      from: first + job * share,
      count: Math.min(share, count - job * share),
      sample: Number(values.sample),
      plugin,
      ...(values.surface ? { surfaces: values.surface } : {}),
    };
    return runCampaign(work, () => {
      read++;
      if (performance.now() - reportedAt < 10_000) return;
      reportedAt = performance.now();
      say(`${read} of ${count} inputs`);
    });
  }),
);
const defects = campaigns.flatMap((campaign) => campaign.defects);

/** One of each kind is enough at first: the same error for the same kind of file. */
const kinds = new Map<string, Defect[]>();
for (const defect of defects) {
  const kind = `${defect.surface}: ${defect.fault.replace(/\d+/g, 'N').slice(0, 160)}`;
  kinds.set(kind, [...(kinds.get(kind) ?? []), defect]);
}
mkdirSync(values.out, { recursive: true });
for (const [{ index, surface, fault, bytes }, ...others] of kinds.values() as Iterable<[Defect, ...Defect[]]>) {
  say(`\n${surface}, input ${index}${others.length > 0 ? ` and ${others.length} like it` : ''}: ${fault}`);
  if (!bytes) continue;
  const path = join(values.out, `${surface}-${values.seed}-${index}`);
  writeFileSync(path, bytes);
  say(`  input: ${path}`);
}

const head = ['input', 'read', 'refused', 'accepted', 'answers', 'ms each', 'slowest'];
const rows = [...tallies()].map(([name, { inputs, refused, accepted, words, totalMs, slowestMs }]) => {
  const numbers = [inputs, refused, accepted, words.size, totalMs / inputs, slowestMs];
  return [name, ...numbers.map((number) => number.toFixed(0))];
});
say(['', ...textTable([head, ...rows], { align: head.map((_, i) => (i === 0 ? 'left' : 'right')) })].join('\n'));
const seconds = ((performance.now() - began) / 1000).toFixed(0);
say(`\n${count} inputs, seed ${values.seed}: ${defects.length} defects of ${kinds.size} kinds, ${seconds} s`);
process.exitCode = defects.length > 0 ? 1 : 0;

/** Combined results of the jobs by kind of file. */
function tallies(): Map<string, Tally> {
  const all = new Map<string, Tally>();
  for (const [name, tally] of campaigns.flatMap((campaign) => [...campaign.tallies])) {
    const known = all.get(name);
    if (!known) all.set(name, tally);
    else {
      for (const key of ['inputs', 'refused', 'accepted', 'totalMs'] as const) known[key] += tally[key];
      known.slowestMs = Math.max(known.slowestMs, tally.slowestMs);
      for (const words of tally.words) known.words.add(words);
    }
  }
  return all;
}
