import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Breadcrumb } from '../worker/ffi/breadcrumb.ts';
import { BreadcrumbReader } from './breadcrumb-reader.ts';
import { BREADCRUMB, MAX_CALL_NAMES, PHASE } from './wire/breadcrumb-layout.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-crumb-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = () => {
  const path = join(directory, 'crumb');
  writeFileSync(path, Buffer.alloc(BREADCRUMB.fileBytes));
  return path;
};

test('the parent reads what the worker stores', () => {
  const path = file();
  const reader = new BreadcrumbReader(openSync(path, 'r'));
  expect(reader.read()).toBeUndefined();
  const crumb = new Breadcrumb(openSync(path, 'r+'));
  crumb.case(12);
  crumb.line(34);
  expect(reader.read()).toMatchObject({ caseNumber: 12, line: 34, call: undefined, phase: PHASE.harness });
  const compile = crumb.enter(crumb.id('PJRT_Client_Compile'));
  expect(reader.read()).toMatchObject({ call: 'PJRT_Client_Compile', phase: PHASE.call, calls: 1 });
  crumb.leave(compile, crumb.id('OK'), 1);
  expect(reader.read()).toMatchObject({ call: 'PJRT_Client_Compile', phase: PHASE.reading });
  crumb.idle();
  const wait = crumb.enterAsync(crumb.id('PJRT_Event_Await'));
  expect(reader.read()).toMatchObject({ phase: PHASE.harness, pending: 'PJRT_Event_Await', calls: 2 });
  crumb.leaveAsync(wait, crumb.id('OK'), 1);
  expect(reader.read()).toMatchObject({ pending: undefined });
  reader.close();
});

describe('the trace', () => {
  const called = (crumb: Breadcrumb, name: string, answer: string, ms: number): void =>
    crumb.leave(crumb.enter(crumb.id(name)), crumb.id(answer), ms);

  test('has the calls of the running case with answers and times, in the order in which they began', () => {
    const path = file();
    const reader = new BreadcrumbReader(openSync(path, 'r'));
    const crumb = new Breadcrumb(openSync(path, 'r+'));
    called(crumb, 'dlopen', 'void', 12);
    crumb.case(1);
    expect(reader.trace()).toBeUndefined();
    called(crumb, 'PJRT_Client_Devices', 'OK', 0.0123456);
    const wait = crumb.enterAsync(crumb.id('PJRT_Event_Await'));
    const failing = crumb.enter(crumb.id('PJRT_Client_Compile'));
    crumb.leave(failing, crumb.id('error'), 3);
    called(crumb, 'PJRT_Error_GetCode', 'OK', 0);
    crumb.back(failing, crumb.id('INVALID_ARGUMENT'), 3);
    expect(reader.trace()).toEqual({
      before: 0,
      calls: [
        { call: 'PJRT_Client_Devices', answer: 'OK', durationMs: 0.012 },
        { call: 'PJRT_Event_Await' },
        { call: 'PJRT_Client_Compile', answer: 'INVALID_ARGUMENT', durationMs: 3 },
        { call: 'PJRT_Error_GetCode', answer: 'OK', durationMs: 0 },
      ],
    });
    crumb.leaveAsync(wait, crumb.id('CANCELLED'), 4);
    expect(reader.trace()?.calls[1]).toEqual({ call: 'PJRT_Event_Await', answer: 'CANCELLED', durationMs: 4 });
    crumb.case(2);
    expect(reader.trace()).toBeUndefined();
    reader.close();
  });

  test('keeps the last ones and counts the others; a late return does not affect another record', () => {
    const path = file();
    const reader = new BreadcrumbReader(openSync(path, 'r'));
    const crumb = new Breadcrumb(openSync(path, 'r+'));
    crumb.case(1);
    const late = crumb.enterAsync(crumb.id('PJRT_Event_Await'));
    for (let i = 0; i < BREADCRUMB.trace.records + 9; i++) called(crumb, `call ${i}`, 'OK', i);
    crumb.leaveAsync(late, crumb.id('CANCELLED'), 1e6);
    const { before, calls } = reader.trace()!;
    expect([before, calls.length]).toEqual([10, BREADCRUMB.trace.records]);
    expect(calls.map(({ durationMs }) => durationMs)).toEqual(calls.map((_, i) => i + 9));
    expect(calls.every(({ call, answer, durationMs }) => call === `call ${durationMs}` && answer === 'OK')).toBe(true);
    reader.close();
  });
});

describe('a plugin that writes into it', () => {
  const used = () => {
    const [mapped, path] = [file(), join(directory, 'copy')];
    const crumb = new Breadcrumb(openSync(mapped, 'r+'));
    crumb.case(1);
    crumb.enter(crumb.id('PJRT_Client_Compile'));
    // This process would die of what happens to its own.
    copyFileSync(mapped, path);
    const reader = new BreadcrumbReader(openSync(path, 'r'));
    expect(reader.read()?.damaged).toBe(false);
    const write = (offset: number, bytes: Buffer): void => {
      const fd = openSync(path, 'r+');
      writeSync(fd, bytes, 0, bytes.length, offset);
      closeSync(fd);
    };
    return { path, reader, write };
  };
  const word = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
  const { words } = BREADCRUMB;

  test.each<[string, number, Buffer]>([
    ['everything', 0, Buffer.alloc(BREADCRUMB.fileBytes, 0xff)],
    ['everything, with zeros', 0, Buffer.alloc(BREADCRUMB.fileBytes)],
    ['a name that there is not', words.call, word(MAX_CALL_NAMES)],
    ['a phase that there is not', words.phase, word(3)],
    ['text', words.closed, Buffer.from('text')],
  ])('%s: nothing in it is believed', (_, offset, bytes) => {
    const { reader, write } = used();
    write(offset, bytes);
    expect(reader.read()).toMatchObject({ damaged: true, closed: false, exited: undefined, call: undefined });
    expect([reader.trace(), reader.ended('SIGSEGV')]).toEqual([undefined, undefined]);
    reader.close();
  });

  test.each([0, 100, BREADCRUMB.fileBytes - 1])('truncated to %i bytes', (bytes) => {
    const { path, reader } = used();
    truncateSync(path, bytes);
    expect(reader.read()?.damaged).toBe(true);
    reader.close();
  });

  test('impossible times, names and marks of exit are left out', () => {
    const { reader, write } = used();
    const times = Buffer.alloc(16, 0xff);
    times.writeUInt32LE(0, 0);
    times.writeUInt32LE(0, 4);
    write(BREADCRUMB.trace.offset, times);
    write(BREADCRUMB.exit.offset, Buffer.alloc(8, 0xff));
    expect(reader.trace()?.calls[0]?.durationMs).toBe(0);
    expect(reader.read()).toMatchObject({ damaged: false, exited: undefined });
    reader.close();
  });
});

test('has room for every function of the C API and of the extensions', () => {
  expect(MAX_CALL_NAMES).toBeGreaterThan(138 + 136 + 50);
});

describe.runIf(process.platform === 'linux')('a call of exit', () => {
  const source = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

  /** Runs TypeScript code with a breadcrumb in a process that ends in the given way after its exit handlers. */
  function ended(body: string, last: 'abort' | '_exit') {
    const path = file();
    const code = `
      import { openSync } from 'node:fs';
      import koffi from 'koffi';
      import { Breadcrumb } from ${source('../worker/ffi/breadcrumb.ts')};
      import { libcAddress } from ${source('../worker/ffi/libc.ts')};
      const libc = koffi.load('libc.so.6');
      const on_exit = libc.func('int on_exit(void* handler, void* argument)');
      const exit = libc.func('void exit(int status)');
      on_exit(libcAddress('${last}'), null);
      const crumb = new Breadcrumb(openSync(${JSON.stringify(path)}, 'r+'));
      ${body}`;
    const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    return { signal: run.signal, status: run.status, exited: new BreadcrumbReader(openSync(path, 'r')).read()?.exited };
  }

  test('is recorded with its status, even if the process dies in it', () => {
    expect(ended('exit(7);', '_exit')).toEqual({ signal: null, status: 7, exited: 7 });
    expect(ended('exit(0);', 'abort')).toEqual({ signal: 'SIGABRT', status: null, exited: 0 });
    expect(ended('exit(-1);', 'abort')).toEqual({ signal: 'SIGABRT', status: null, exited: 255 });
  });

  test('is ignored if the process was asked to end, and is not recorded for a crash', () => {
    expect(ended('crumb.leaving(); exit(0);', 'abort')).toMatchObject({ signal: 'SIGABRT', exited: undefined });
    expect(ended("process.kill(process.pid, 'SIGSEGV');", 'abort').exited).toBeUndefined();
  });

  test('in a child that the plugin forked does not count for the worker', () => {
    const body = `
      // The child calls exit before fork returns in it: JavaScript does not survive a fork.
      const atFork = libc.func('int __register_atfork(void* before, void* parent, void* child, void* library)');
      atFork(null, null, libcAddress('exit'), null);
      const waitpid = libc.func('int waitpid(int pid, _Out_ int* status, int options)');
      const status = [0];
      waitpid(libc.func('int fork()')(), status, 0);
      if ((status[0] & 127) !== 0) throw new Error('the child died with ' + status[0]);
      process.kill(process.pid, 'SIGSEGV');`;
    expect(ended(body, '_exit')).toEqual({ signal: 'SIGSEGV', status: null, exited: undefined });
  });
});
