import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Breadcrumb } from '../ffi/breadcrumb.ts';
import { BREADCRUMB, MAX_CALL_NAMES, PHASE } from '../wire/breadcrumb-layout.ts';
import { BreadcrumbReader } from './breadcrumb-reader.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pjrt-crumb-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => {
  const path = join(folder, 'crumb');
  writeFileSync(path, Buffer.alloc(BREADCRUMB.bytes));
  return path;
};

test('what the worker stores is what the parent reads', () => {
  const path = file();
  const reader = new BreadcrumbReader(path);
  expect(reader.read()).toBeUndefined();
  const crumb = new Breadcrumb(path);
  crumb.case(12);
  crumb.line(34);
  expect(reader.read()).toMatchObject({ caseNumber: 12, line: 34, call: undefined, phase: PHASE.harness });
  crumb.enter(crumb.id('PJRT_Client_Compile'));
  expect(reader.read()).toMatchObject({ call: 'PJRT_Client_Compile', phase: PHASE.call, calls: 1 });
  crumb.leave();
  expect(reader.read()).toMatchObject({ call: 'PJRT_Client_Compile', phase: PHASE.reading });
  crumb.idle();
  crumb.pending(crumb.id('PJRT_Event_Await'));
  expect(reader.read()).toMatchObject({ phase: PHASE.harness, pending: 'PJRT_Event_Await' });
  reader.close();
});

test('there is room for every function of the C API and of the extensions', () => {
  expect(MAX_CALL_NAMES).toBeGreaterThan(138 + 136 + 50);
});
