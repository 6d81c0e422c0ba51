import { readFileSync } from 'node:fs';
import { crc32, gunzipSync } from 'node:zlib';
import { packagePath } from '../../harness/base/paths.ts';
import { PIECE_HEAD, RECORD_HEAD, SEGMENT_HEAD } from '../../harness/knowledge/trace/format.ts';
import { exitCode } from '../../harness/verdict/exit-codes.ts';
import { type CommandOutput, command } from '../command-line/command.ts';
import { mutateBytes } from './mutate.ts';
import type { Random } from './random.ts';
import type { Surface } from './surface.ts';

const FILE = 'pid-1/events-0001.bin';
const ACTIONS = ['show', 'calls', 'check', 'programs'] as const;

const MANIFEST = {
  format: 'pjrt-conformance-trace',
  version: '1.0',
  recorded: '2026-11-29T00:00:00.000Z',
  keep: 'all',
  contents: 'first',
  programsOnly: false,
};

/** Recordings whose records are changed, mostly with right checksums, and damaged files. */
export const traceSurface: Surface = {
  name: 'trace',
  file: FILE,
  syntax: 'zip',
  maker: () => {
    const valid = recorded();
    const whole = valid.subarray(
      0,
      SEGMENT_HEAD + PIECE_HEAD + recordsOf(valid).reduce((sum, { length }) => sum + length, 0),
    );
    return (random) => {
      if (random.chance(0.02)) return valid;
      return random.chance(0.15) ? mutateBytes(random, whole, [whole]) : changed(random, valid);
    };
  },
  beside: () => ({ 'manifest.json': Buffer.from(JSON.stringify(MANIFEST)) }),
  args: ['trace', 'show', 'in'],
  read: async (cwd, env) => {
    let last: CommandOutput | undefined;
    for (const action of ACTIONS) {
      const output = await command(
        ['trace', action, 'in', ...(action === 'programs' ? ['-o', 'out/cases'] : [])],
        cwd,
        env,
      );
      last ??= output;
      // The summary reads less of a trace than the others.
      if (output.exitCode === exitCode('usage') || output.stderr !== '') return output;
    }
    return last!;
  },
};

/** The segment of a program that uploads, executes and reads once. */
const recorded = (): Buffer => gunzipSync(readFileSync(packagePath('fixtures', 'traces', 'caller-1.0.bin.gz')));

function recordsOf(segment: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = SEGMENT_HEAD + PIECE_HEAD; ; ) {
    const length = at + 4 > segment.length ? 0 : segment.readUInt32LE(at);
    if (length === 0) return records;
    records.push(segment.subarray(at, at + length));
    at += length;
  }
}

/** Some of its records are others, and their checksums are right. */
function changed(random: Random, segment: Buffer): Buffer {
  const records = recordsOf(segment).map((record): Buffer => Buffer.from(record));
  for (let rounds = 1 + random.below(3); rounds > 0; rounds--) {
    const at = random.below(records.length);
    const style = random.unit();
    if (style < 0.08) records.splice(at, 1);
    else if (style < 0.16) records.splice(at, 0, records[random.below(records.length)]!);
    else if (style < 0.2) [records[0], records[at]] = [records[at]!, records[0]!];
    else records[at] = changedRecord(random, records[at]!);
  }
  if (random.chance(0.5)) for (const [i, record] of records.entries()) renumber(record, i + 1);
  const all = Buffer.concat(records);
  const sealed = Buffer.concat([segment.subarray(0, SEGMENT_HEAD + PIECE_HEAD), all]);
  return random.chance(0.5)
    ? sealed
    : Buffer.concat([sealed, Buffer.alloc(Math.max(0, segment.length - sealed.length))]);
}

const WORDS = [0n, 1n, 7n, 0xffn, 0xffffn, 0x7fff_ffffn, 0xffff_ffffn, 1n << 40n, (1n << 53n) + 1n, (1n << 64n) - 1n];

function changedRecord(random: Random, record: Buffer): Buffer {
  let copy: Buffer = Buffer.from(record);
  const place = (width: number): number => 8 + width * random.below(Math.floor((copy.length - 8) / width));
  switch (random.below(5)) {
    case 0:
      copy.writeBigUInt64LE(random.pick(WORDS), place(8));
      break;
    case 1:
      copy.writeUInt32LE(Number(BigInt.asUintN(32, random.pick(WORDS))), place(4));
      break;
    case 2:
      copy[place(1)] = random.below(256);
      break;
    case 3:
      // What follows the head is shorter, or longer.
      copy = Buffer.concat([copy.subarray(0, place(8)), Buffer.alloc(8 * random.below(5), random.pick([0, 0xff]))]);
      if (copy.length < RECORD_HEAD) copy = Buffer.concat([copy, Buffer.alloc(RECORD_HEAD - copy.length)]);
      break;
    default:
      copy.writeUInt16LE(random.below(200), random.pick([8, 10]));
  }
  return seal(copy);
}

function renumber(record: Buffer, order: number): void {
  record.writeBigUInt64LE(BigInt(order), 16);
  seal(record);
}

function seal(record: Buffer): Buffer {
  record.writeUInt32LE(record.length, 0);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}
