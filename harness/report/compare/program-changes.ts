import { groupedBy } from '../../base/grouping.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { binaryBytes, programBytes } from '../program-memory.ts';
import type { FoundChange } from './change.ts';
import type { Thresholds } from './policy.ts';
import type { Side } from './side.ts';
import { median } from './sign-test.ts';

/** What the plugin says of the memory of one program, old and new; with repeats, the median of the runs. */
interface ProgramRecord {
  program: string;
  /** The name in the C API: `temp_size_in_bytes`. */
  field: string;
  oldBytes: number;
  newBytes: number;
  grown: boolean;
}

export interface ProgramComparison {
  /** Why programs are not compared. */
  omitted?: string;
  records: ProgramRecord[];
}

/** The memory of the programs that both sides asked for. */
export function comparePrograms(old: Side, now: Side, thresholds: Thresholds['program-memory']): ProgramComparison {
  const [before, after] = [bytesOf(old), bytesOf(now)];
  const records: ProgramRecord[] = [];
  for (const [key, { program, field, all }] of after) {
    const was = before.get(key)?.all;
    if (!was) continue;
    const [oldBytes, newBytes] = [median(was), median(all)];
    // With repeats, every new run must exceed every old one.
    const separated = Math.min(...all) > Math.max(...was);
    const grown = separated && isMoreMemory(oldBytes, newBytes, thresholds);
    records.push({ program: cleanLine(program), field: cleanLine(field), oldBytes, newBytes, grown });
  }
  return { records };
}

/** Whether a program needs more memory by the thresholds of a policy. */
export const isMoreMemory = (old: number, now: number, thresholds: Thresholds['program-memory']): boolean =>
  now > old * thresholds.ratio && now - old >= thresholds['minimum-kib'] * 1024;

/** One change for each program, which says all that has grown. */
export function* programChanges({ records }: ProgramComparison): Generator<FoundChange> {
  const grown = groupedBy(
    records.filter((record) => record.grown),
    ({ program }) => program,
  );
  for (const [program, list] of grown) {
    const [most] = [...list].sort((a, b) => b.newBytes - b.oldBytes - (a.newBytes - a.oldBytes));
    yield {
      kind: 'program-memory',
      subject: program,
      old: binaryBytes(most!.oldBytes),
      new: binaryBytes(most!.newBytes),
      message: list.map(growthText).join(', '),
    };
  }
}

const growthText = ({ field, oldBytes, newBytes }: ProgramRecord): string =>
  `${field} ${binaryBytes(oldBytes)} → ${binaryBytes(newBytes)}${oldBytes > 0 ? ` (${(newBytes / oldBytes).toFixed(2)}×)` : ''}`;

/** All values of the repeats of a side. */
function bytesOf({ runs }: Side): Map<string, { program: string; field: string; all: number[] }> {
  const found = new Map<string, { program: string; field: string; all: number[] }>();
  for (const { program, field, bytes } of runs.flatMap(({ run }) => programBytes(run))) {
    const key = `${program}\0${field}`;
    const known = found.get(key);
    if (known) known.all.push(bytes);
    else found.set(key, { program, field, all: [bytes] });
  }
  return found;
}
