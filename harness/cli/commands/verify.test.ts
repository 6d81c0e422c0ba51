import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleManifest } from '../../commands/bundle/manifest.ts';
import { makeZip } from '../../host/plugins/make-zip.test-helper.ts';
import type { Event } from '../../model/events.ts';
import { footer, header } from '../../model/sample-log.test-helper.ts';
import { verify } from './verify.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-verify-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What the command prints on stderr about a file, and its exit code. */
async function outputOf(bytes: Buffer, name = 'a.zip'): Promise<[string, number]> {
  writeFileSync(join(directory, name), bytes);
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
  const environment = {
    cwd: directory,
    env: {},
    argv: [],
    stdout: stream,
    stderr: stream,
    signal: new AbortController().signal,
  };
  const code = await verify(name, { format: 'text' }, environment);
  return [text, code];
}

const entry = (name: string, value: unknown): { name: string; data: string } => ({ name, data: JSON.stringify(value) });

function ofNewerLog(): Buffer {
  const log = Buffer.from(`${JSON.stringify(header({ version: '1.999' }))}\n`);
  const sha256 = createHash('sha256').update(log).digest('hex');
  const files = [{ path: 'events.jsonl', role: 'log' as const, bytes: log.length, sha256 }];
  const manifest = bundleManifest(header(), footer() as Extract<Event, { type: 'footer' }>, [], files);
  return makeZip([entry('manifest.json', manifest), { name: 'events.jsonl', data: log }]);
}

test.each<[string, Buffer, RegExp]>([
  ['no archive', Buffer.from('no archive'), /^error: \S*a\.zip: not a readable bundle: /],
  ['nothing in it', makeZip([]), /^error: \S*a\.zip: there is no manifest\.json in it/],
  ['no manifest', makeZip([{ name: 'manifest.json', data: '{' }]), /^error: \S*a\.zip: its manifest\.json is not JSON/],
  [
    'a manifest with odd text',
    makeZip([{ name: 'manifest.json', data: '{"a":\n? [b\n' }]),
    /^error: \S*a\.zip: its manifest\.json is not JSON: .*\n$/,
  ],
  [
    'a newer version',
    makeZip([entry('manifest.json', { version: '9.0' })]),
    /^error: \S*a\.zip: a bundle of version 9/,
  ],
  ['a newer log', ofNewerLog(), /^error: \S*a\.zip: events\.jsonl:1: a log of version 1\.999/],
])('an unreadable bundle is reported with its name: %s', async (_, bytes, message) => {
  expect(await outputOf(bytes)).toEqual([expect.stringMatching(message), 2]);
});

test('also one whose name is a word of the message', async () => {
  expect(await outputOf(ofNewerLog(), 'log')).toEqual([
    expect.stringMatching(/^error: \S*\/log: events\.jsonl:1: a log/),
    2,
  ]);
});
