import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lockLog } from './log-lock.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-lock-'));
afterAll(() => rmSync(directory, { recursive: true }));

// The second platform stands for those on which a socket is a file.
test.each(['linux', 'freebsd'] as const)(
  'only one holder at a time, by any path, and free again afterwards (%s)',
  async (platform) => {
    const path = join(directory, platform, 'events.jsonl');
    const lock = await lockLog(path, platform);
    symlinkSync(join(directory, platform), join(directory, `link-${platform}`));
    await expect(lockLog(join(directory, `link-${platform}`, 'events.jsonl'), platform)).rejects.toThrow(
      'another pjrt-conformance is writing this log',
    );
    await (await lockLog(join(directory, platform, 'other.jsonl'), platform)).release();
    await lock.release();
    await (await lockLog(path, platform)).release();
  },
);

test('a device is not locked', async () => {
  await lockLog('/dev/null');
  await (await lockLog('/dev/null')).release();
});

test('a directory that cannot be created is reported with the path of the log', async () => {
  await expect(lockLog('/dev/null/x/events.jsonl')).rejects.toThrow(
    '/dev/null/x/events.jsonl: the event log cannot be created',
  );
});
