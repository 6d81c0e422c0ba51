import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lockLog } from './log-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'pjrt-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The second platform stands for those on which a socket is a file.
test.each(['linux', 'freebsd'] as const)(
  'only one holder at a time, by any path, and free again afterwards (%s)',
  async (platform) => {
    const path = join(folder, platform, 'events.jsonl');
    const lock = await lockLog(path, platform);
    symlinkSync(join(folder, platform), join(folder, `link-${platform}`));
    await expect(lockLog(join(folder, `link-${platform}`, 'events.jsonl'), platform)).rejects.toThrow(
      'another pjrt-conformance is writing this log',
    );
    await (await lockLog(join(folder, platform, 'other.jsonl'), platform)).release();
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
