import { expect, test } from 'vitest';
import { frameText } from '../stack-frame.ts';
import { frameOfPlugin, type SanitizerReport, sanitizerReports } from './report.ts';
import { reportLine } from './with-reports.ts';

const frame = (at: number, name: string, file: string, line: number, module: string): string =>
  `FRAME|${at}|${name}|${file}|${line}|${module}|0x12ab`;
const PLUGIN = '/vendor/libfoo.so';
const IN_PLUGIN = frame(0, 'foo::Read(char*)', '/src/foo/read.cc', 12, PLUGIN);
const IN_NODE = frame(1, 'v8::internal::Run()', '<null>', 0, process.execPath);
const IN_KOFFI = frame(2, '<null>', '<null>', 0, '/app/node_modules/koffi/koffi.node');
const IN_RUNTIME = frame(0, 'malloc', '../../src/libsanitizer/x.cpp', 69, '/usr/lib/libasan.so.8');

const ASAN = [
  '=================================================================',
  '==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000011 at pc 0x5581 bp 0x7ffd sp 0x7ffd',
  'READ of size 4 at 0x602000000011 thread T0',
  IN_PLUGIN,
  IN_KOFFI,
  IN_NODE,
  '',
  'freed by thread T0 here:',
  IN_RUNTIME,
  frame(1, 'foo::Free()', '/src/foo/free.cc', 7, PLUGIN),
  '',
  'SUMMARY: AddressSanitizer: heap-use-after-free /src/foo/read.cc:12 in foo::Read(char*)',
  'Shadow bytes around the buggy address:',
  '  0x0c04800bddf0: fa fa fd fd',
  '==77==ABORTING',
].join('\n');

const lines = (reports: readonly SanitizerReport[]): string[] => reports.map(reportLine);

test('an error of memory: its kind, the innermost frame of the plugin, its stacks without the picture of the memory', () => {
  const [report, ...more] = sanitizerReports(ASAN);
  expect(more).toEqual([]);
  expect(reportLine(report!)).toBe('AddressSanitizer: heap-use-after-free in foo::Read(char*) (read.cc:12)');
  expect(report!.text.split('\n')).toEqual([
    '==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x… at pc 0x… bp 0x… sp 0x…',
    'READ of size 4 at 0x… thread T0',
    '    foo::Read(char*) (read.cc:12)',
    '',
    'freed by thread T0 here:',
    '    malloc (x.cpp:69)',
    '    foo::Free() (free.cc:7)',
  ]);
});

test.each([
  [
    '/src/a.cc:10:5: runtime error: signed integer overflow: 1 + 2',
    'UndefinedBehaviorSanitizer: signed integer overflow: 1 + 2',
  ],
  [
    '<unknown>: runtime error: load of misaligned address 0x7f12 for type',
    'UndefinedBehaviorSanitizer: load of misaligned address for type',
  ],
  ['WARNING: ThreadSanitizer: data race (pid=12)', 'ThreadSanitizer: data race'],
  ['==9==WARNING: MemorySanitizer: use-of-uninitialized-value', 'MemorySanitizer: use-of-uninitialized-value'],
  ['==9==ERROR: AddressSanitizer: attempting double-free on 0x6020 in thread T0:', 'AddressSanitizer: double-free'],
  ['==9==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x1)', 'AddressSanitizer: SEGV'],
  ['Direct leak of 1000 byte(s) in 1 object(s) allocated from:', 'LeakSanitizer: Direct leak'],
])('%s', (head, line) => {
  expect(lines(sanitizerReports(`noise of the plugin\n${head}\n${IN_PLUGIN}\n\n`))).toEqual([
    `${line} in foo::Read(char*) (read.cc:12)`,
  ]);
});

test('several reports, one of them cut off; the head of a list of leaks is none', () => {
  const text = `${ASAN}\n==77==ERROR: LeakSanitizer: detected memory leaks\n\nIndirect leak of 8 byte(s) in 1 object(s) allocated from:\n${IN_PLUGIN}`;
  expect(lines(sanitizerReports(text))).toEqual([
    'AddressSanitizer: heap-use-after-free in foo::Read(char*) (read.cc:12)',
    'LeakSanitizer: Indirect leak in foo::Read(char*) (read.cc:12)',
  ]);
});

test('a report without a frame of a plugin is about Node.js, the C library, a runtime, or nobody', () => {
  const modules = [
    '/lib/x86_64-linux-gnu/libc.so.6',
    '/usr/lib/libstdc++.so.6',
    '/lib64/ld-linux-x86-64.so.2',
    '/p/libpython3.12.so.1.0',
  ];
  const frames = modules.map((module, i) => frame(i, 'f', '<null>', 0, module));
  const text = [
    'WARNING: ThreadSanitizer: data race (pid=1)',
    IN_RUNTIME,
    IN_NODE,
    IN_KOFFI,
    ...frames,
    'FRAME|7|<null>|<null>|0|<null>|',
  ];
  const [report] = sanitizerReports(text.join('\n'));
  expect(frameOfPlugin(report!)).toBeUndefined();
  const brought = frame(8, 'g', '<null>', 0, '/vendor/libfoo_runtime.so.2');
  expect(frameOfPlugin(sanitizerReports([...text, brought].join('\n'))[0]!)?.function).toBe('g');
});

test('a frame without names gets them from whoever knows them', () => {
  const bare = frame(0, '<null>', '<null>', 0, PLUGIN);
  const [report] = sanitizerReports(`WARNING: ThreadSanitizer: data race\n${bare}`, (one) => ({
    ...one,
    function: `f at ${one.offset}`,
  }));
  expect(reportLine(report!)).toBe('ThreadSanitizer: data race in f at 0x12ab (libfoo.so)');
  expect(frameText({ module: PLUGIN })).toBe('a function without a name (libfoo.so)');
});

test('what was lost only because what points to it was lost is not said beside that', () => {
  const leak = (kind: string, frame: string) => `${kind} leak of 8 byte(s) in 1 object(s) allocated from:\n${frame}\n`;
  const own = frame(0, 'foo::Make()', '/src/foo/make.cc', 3, PLUGIN);
  expect(lines(sanitizerReports(leak('Indirect', IN_PLUGIN) + leak('Direct', own)))).toEqual([
    'LeakSanitizer: Direct leak in foo::Make() (make.cc:3)',
  ]);
});
