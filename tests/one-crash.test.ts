import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { loadRequirements } from '../harness/suite/requirements.ts';
import { buildCrashes } from '../tools/blame/crash-plugin.ts';
import { cli } from './support/cli.ts';
import { htmlBlocks } from './support/html.ts';
import { referenceLibrary } from './support/reference.ts';
import { unescaped } from './support/unescaped.ts';

/** A plugin dies in one call: whoever reads whichever report learns of the same one requirement, what it says, and where it stands. */

const CRASHES: readonly [how: string, cases: string, requirement: string][] = [
  ['PJRT_Client_LookupDevice refused abort', 'client/*', 'CLI-LKP-002'],
  ['PJRT_Client_BufferFromHostBuffer always null 24', 'calls:strided', 'BUF-HOST-009'],
  ['PJRT_Buffer_ToHostBuffer always throw', 'calls:large', 'HYG-END-001'],
  ['PJRT_Client_Compile always trap', 'calls:program', 'HYG-END-001'],
  ['PJRT_LoadedExecutable_Execute always exit', 'calls:program', 'RUN-BAS-001'],
  ['PJRT_Event_Await always thread-abort', 'calls:large', 'HYG-END-001'],
];
const REPORTS = {
  junit: 'junit.xml',
  json: 'report.json',
  html: 'report.html',
  markdown: 'report.md',
  sarif: 'report.sarif',
  gitlab: 'gitlab.json',
  ctrf: 'ctrf.json',
};

const requirements = loadRequirements();
const known = new Set(requirements.keys());
const named = (text: string): string[] =>
  [...new Set(text.match(/\b[A-Z]{2,}[A-Z0-9]*(?:-[A-Z0-9]+)+\b/g))].filter((id) => known.has(id));
const onOneLine = (text: string): string => unescaped(text).replace(/\s+/g, ' ');

let library: string;
let base: string;
const directory = mkdtempSync(join(tmpdir(), 'pjrt-one-crash-'));
beforeAll(async () => {
  [base, library] = [await referenceLibrary(), await buildCrashes()];
}, 600_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(CRASHES)('%s', (how, cases, id) => {
  test('is one requirement in every format', async () => {
    const reports = Object.entries(REPORTS).map(([format, file]) => [format, join(directory, file)] as const);
    const suites = ['--suites', packagePath('tools', 'blame', 'calls.yaml'), '--tests', cases];
    const args = reports.flatMap(([format, file]) => ['--report', `${format}=${file}`]);
    const run = await cli(['run', '--plugin', library, ...suites, ...args, '--workers', '1', '--output', 'out'], {
      env: { PJRT_CRASHES_BASE: base, PJRT_CRASH: how, GITHUB_ACTIONS: 'true' },
    });
    expect(run.exitCode, run.stdout + run.stderr).toBe(1);
    const { text: sentence, source } = requirements.get(id)!;
    const read = (format: keyof typeof REPORTS): string => readFileSync(join(directory, REPORTS[format]), 'utf8');
    const texts: Record<string, string> = {
      terminal: run.stdout.replace(/^::.*$/gm, ''),
      annotations: (run.stdout.match(/^::(?:error|warning).*$/gm) ?? []).join('\n'),
      ...Object.fromEntries((['junit', 'markdown', 'sarif', 'gitlab'] as const).map((name) => [name, read(name)])),
    };
    // Its tags are what a test covers.
    const { results } = JSON.parse(read('ctrf')) as {
      results: { tests: { status: string; message: string; trace: string }[] };
    };
    for (const { status, message, trace } of results.tests) if (status === 'failed') texts.ctrf = `${message} ${trace}`;
    for (const [format, text] of Object.entries(texts)) {
      expect([...new Set(named(text))], format).toEqual([id]);
      expect(onOneLine(text), format).toContain(sentence);
      // An annotation is one line: it links the source.
      if (format !== 'annotations') expect(onOneLine(text), format).toContain(source);
    }
    // These list what a case covers too, beside what it violates.
    const { requirements: violated } = JSON.parse(read('json'));
    expect(violated).toMatchObject({ [id]: { text: sentence, source } });
    expect(Object.keys(violated)).toEqual([id]);
    const blocks = htmlBlocks(read('html'), 'head');
    expect([blocks[0]!.requirements[id], blocks[0]!.bases[id]]).toEqual([sentence, source]);
    const breaks = htmlBlocks(read('html'), 'rows').flatMap((rows) => rows.breaks.flat());
    expect([...new Set(breaks)]).toEqual([id]);
  });
});
