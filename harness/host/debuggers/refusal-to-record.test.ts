import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DEBUGGERS } from './kinds.ts';
import { reasonIn, refusalToRecord } from './refusal-to-record.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-rr-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const program = (name: string, script: string): string => {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};
const refusal = (script: string): string | undefined =>
  refusalToRecord(program('rr', script), DEBUGGERS.rr.recording!, process.env);

test('what can record a process says nothing, and has a directory of its own for it', () => {
  expect(refusal('[ "$1" = record ] && [ -d "$_RR_TRACE_DIR" ] && shift 2 && "$@"')).toBeUndefined();
});

test('the reason is what it says, without the place in its source', () => {
  // Of rr 5.6 on a virtual machine.
  const fatal =
    "[FATAL ./src/PerfCounters.cc:306:start_counter()] Unable to open performance counter with 'perf_event_open'; are hardware perf events available?";
  const reason = "Unable to open performance counter with 'perf_event_open'; are hardware perf events available?";
  expect(refusal(`echo "${fatal}" >&2; exit 1`)).toBe(reason);
  expect(reasonIn(`[WARN ./src/a.cc:1:f()] slow\n${fatal}\n=== Start rr backtrace:\nrr(+0x1)\n`)).toBe(reason);
  expect(reasonIn('something\nelse \n\n')).toBe('else');
  expect(refusal('kill -9 $$')).toBe('it ended with SIGKILL');
  expect(refusal('exit 3')).toBe('it ended with exit code 3');
});
