import { describe, expect, it } from 'vitest';
import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { ABI_TABLE } from '../../harness/knowledge/abi/abi-table.ts';
import { type AbiSnapshot, snapshot } from '../../harness/knowledge/abi/snapshot.ts';
import { API_FACTS } from './api-facts.ts';
import { compactTable } from './compact-table.ts';
import { compareSnapshots } from './compare-snapshots.ts';
import { annotatedTable, tableText } from './write-tables.ts';

const known = ABI_TABLE.minors.map((m) => snapshot(Abi.at(m.minor)));

function next(): AbiSnapshot {
  const newer = structuredClone(known.at(-1)!);
  newer.minor = NEWEST_MINOR + 1;
  const api = newer.structs.PJRT_Api!;
  api.fields.push({ name: 'PJRT_Client_New', type: 'fn', offset: api.size, size: 8, out: false });
  api.size += 8;
  api.struct_size = api.size;
  newer.structs.PJRT_Client_New_Args = structuredClone(newer.structs.PJRT_Client_Destroy_Args!);
  newer.enums.PJRT_ProcessState!.PJRT_ProcessState_kNew = 5;
  return newer;
}

describe('compactTable', () => {
  it('makes the committed table from its own expansion', () => {
    const again = annotatedTable(compactTable(known, ABI_TABLE));
    expect(tableText(again), 'update it: npx tsx tools/abi/annotate-table.ts').toBe(tableText(ABI_TABLE));
    const { repository, reused, inOut } = ABI_TABLE;
    expect({ repository, reused, inOut }).toEqual({
      repository: API_FACTS.repository,
      reused: API_FACTS.reused,
      inOut: API_FACTS.inOut,
    });
  });

  it('takes in a newer minor and gives all versions back', () => {
    const table = compactTable([...known, next()], ABI_TABLE);
    for (const version of [...known, next()]) expect(snapshot(new Abi(version.minor, table))).toEqual(version);
    const newer = new Abi(NEWEST_MINOR + 1, table);
    expect(newer.functions.at(-1)).toBe('PJRT_Client_New');
    expect(newer.argsOf('PJRT_Client_New').structSize).toBe(24);
  });

  it('keeps the order of fields that change places', () => {
    const swapped = next();
    swapped.structs.PJRT_Chunk!.fields = [
      { name: 'size', type: 'size_t', offset: 0, size: 8, out: false },
      { name: 'data', type: 'void*', offset: 8, size: 8, out: false },
      ...swapped.structs.PJRT_Chunk!.fields.slice(2),
    ];
    const table = compactTable([...known, swapped], ABI_TABLE);
    expect(snapshot(new Abi(swapped.minor, table))).toEqual(swapped);
    expect(snapshot(new Abi(NEWEST_MINOR, table))).toEqual(known.at(-1));
  });
});

describe('compareSnapshots', () => {
  it('finds nothing between equal versions', () => {
    expect(compareSnapshots(known[0]!, known[0]!)).toEqual([]);
  });

  it('says what a newer version adds', () => {
    const bytes = Abi.at(NEWEST_MINOR).tableBytes;
    expect(compareSnapshots(known.at(-1)!, next())).toEqual([
      'enum PJRT_ProcessState: PJRT_ProcessState_kNew (absent) -> 5',
      `PJRT_Api.PJRT_Client_New: (absent) -> fn at ${bytes}, 8 bytes`,
      `PJRT_Api declares ${bytes} -> ${bytes + 8} bytes`,
      `sizeof PJRT_Api: ${bytes} -> ${bytes + 8}`,
      'added struct PJRT_Client_New_Args (24 bytes)',
    ]);
  });
});
