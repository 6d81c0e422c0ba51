import { expect, test } from 'vitest';
import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { cHeader } from '../../harness/knowledge/abi/c-header.ts';
import { snapshot } from '../../harness/knowledge/abi/snapshot.ts';
import { readDeclarations } from './c-declarations.ts';
import { compareSnapshots } from './compare-snapshots.ts';
import { snapshotOfHeader } from './snapshot-of-header.ts';

test.each([OLDEST_MINOR, 45, 60, 81, 105, NEWEST_MINOR])(
  'the header that header.ts writes of 0.%i is read back',
  (minor) => {
    const abi = Abi.at(minor);
    const declared = readDeclarations(cHeader(abi), 'pjrt_c_api.h');
    expect(compareSnapshots(snapshot(abi), snapshotOfHeader(declared, { date: '', commit: '' }))).toEqual([]);
  },
);
