import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { BreadcrumbReader, type Ended } from '../../host/breadcrumb-reader.ts';
import { BREADCRUMB } from '../../host/wire/breadcrumb-layout.ts';
import { hasNativeRecorders } from './native-recorder.ts';

const directory = mkdtempSync(join(tmpdir(), 'watch-faults-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** What the parent reads of a process that dies in this code. */
function endOf(code: string): Ended | undefined {
  const path = join(directory, 'breadcrumb');
  writeFileSync(path, Buffer.alloc(BREADCRUMB.fileBytes));
  const file = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const whole = `
    import { openSync } from 'node:fs';
    import { Breadcrumb } from ${file('./breadcrumb.ts')};
    import { functionAt } from ${file('./function.ts')};
    import { libcAddress } from ${file('./libc.ts')};
    import { Arena, guardedBlock, readBytes, writeBytes } from ${file('./memory.ts')};
    const crumb = new Breadcrumb(openSync(${JSON.stringify(path)}, 'r+'));
    const arena = new Arena({ guardsInputs: true });
    ${code}`;
  const { signal } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', whole]);
  const reader = new BreadcrumbReader(openSync(path, 'r'));
  try {
    return reader.ended(signal!);
  } finally {
    reader.close();
  }
}

test.runIf(hasNativeRecorders()).each<[string, Ended['access']]>([
  [
    'const b = arena.input(new Uint8Array(24)); readBytes(b.address + 24n, 1);',
    { kind: 'overrun', how: 'read', block: 'data', bytes: 24, beyond: 0 },
  ],
  [
    "const b = arena.room(100, 'dst', { after: 64, align: 64 }); writeBytes(b.address + 100_000n, new Uint8Array(1));",
    { kind: 'overrun', how: 'write', block: 'dst', bytes: 100, beyond: 99_900 },
  ],
  [
    "const b = guardedBlock(88, 'PJRT_X_Args'); readBytes(b.address - 500_000n, 1);",
    { kind: 'overrun', how: 'read', block: 'PJRT_X_Args', bytes: 88, beyond: -500_000 },
  ],
  [
    'const b = arena.int64s([1]); arena.release(); readBytes(b.address + 8n, 1);',
    { kind: 'overrun', how: 'read', block: 'dims', bytes: 8, beyond: 0, late: true },
  ],
  ['readBytes(24n, 1);', { kind: 'null', how: 'read', offset: 24 }],
  ['readBytes(0x123456789000n, 1);', { kind: 'wild', how: 'read' }],
])('%s', (code, access) => {
  expect(endOf(code)).toEqual({ elsewhere: false, access });
});

test.runIf(hasNativeRecorders())('a signal that was sent has no address', () => {
  const raise = "functionAt(libcAddress('raise'), 'int raise(int signal)')(11);";
  expect(endOf(raise)).toEqual({ elsewhere: false, access: undefined });
});
