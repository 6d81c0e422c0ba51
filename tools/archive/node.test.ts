import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { platformName, WHEEL_PLATFORMS } from '../wheel/platforms.ts';
import { demandIntegrity, NODE } from './node.ts';

test('Node is of a line with long-term support that the package accepts, and has a digest for each platform', () => {
  const [major, minor] = NODE.version.split('.').map(Number);
  expect(major! % 2).toBe(0);
  expect(major! * 100 + minor!).toBeGreaterThanOrEqual(2019);
  expect(Object.keys(NODE.integrity)).toEqual(WHEEL_PLATFORMS.map(platformName));
});

test('a file with another digest is refused', () => {
  const directory = mkdtempSync(join(tmpdir(), 'node-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'node.tgz');
  writeFileSync(file, 'abc');
  const digest = 'sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==';
  demandIntegrity(file, digest);
  expect(() => demandIntegrity(file, NODE.integrity['linux-x64']!)).toThrow(`got ${digest}`);
});
