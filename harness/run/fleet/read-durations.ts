import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { DurationsFile } from '../../model/durations.ts';
import { checkedDocument } from '../../suite/checked-document.ts';
import { textOf } from '../../suite/text-of.ts';

/** Recorded durations, and which file they are from. */
export interface Durations {
  file: string;
  sha256: string;
  /** Milliseconds by case id. */
  cases: ReadonlyMap<string, number>;
}

/**
 * Reads a file that `--report durations` wrote (schemas/durations.schema.json).
 * @param file as given, relative to `cwd`
 * @throws SuiteError with every problem and its place
 */
export function readDurations(file: string, cwd: string): Durations {
  const text = textOf(resolve(cwd, file), `--durations ${file}`, {
    option: 'durations',
    expected: 'a file that `run --report durations` or `report LOG --report durations` wrote',
  });
  // JSON is YAML, whose parser knows the place of every value.
  const document = checkedDocument(text, file, 'durations.schema.json');
  const { cases } = document.value as DurationsFile;
  return { file, sha256: createHash('sha256').update(text).digest('hex'), cases: new Map(Object.entries(cases)) };
}
