import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { findFormat } from '../../harness/report/index.ts';
import { type MeasuredCommand, measureCommand } from './measure-command.ts';
import { writeSyntheticLog } from './synthetic-log.ts';

/** In addition to JUnit and JSON, which `report` always writes. */
const FORMATS = ['html', 'markdown'].filter((name) => findFormat(name));

interface MeasuredReport extends MeasuredCommand {
  logBytes: number;
}

/** Cost of writing JUnit, JSON, HTML and Markdown from a log of this many cases. */
export async function measureReport(cases: number): Promise<MeasuredReport> {
  const directory = scratchDirectory('bench');
  const log = join(directory, 'events.jsonl');
  try {
    writeSyntheticLog(log, cases);
    const args = ['report', log, '--quiet', '--no-github', ...FORMATS.flatMap((name) => ['--report', name])];
    // The run of the log violates MUSTs.
    const measured = await measureCommand(args, 1);
    return { logBytes: statSync(log).size, ...measured };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
