import type { StructLayout } from '../../knowledge/abi/index.ts';
import { guardedBlock, readBytes, viewMemory } from '../ffi/memory.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import { StructView } from '../pjrt/struct-view.ts';

const NAMED_STRING = 0;

/** Moves strings to the ends of pages, also those of a program or of options. @returns how many */
export function moveStrings(api: PjrtApi, view: StructView): number {
  let moved = 0;
  visitStrings(api, view, (owner, field) => {
    moved += moveString(owner, field);
  });
  return moved;
}

/** Visits the strings among the arguments, also those of a program or of options, and those that are not given. */
export function visitStrings(api: PjrtApi, view: StructView, visit: (owner: StructView, field: string) => void): void {
  for (const { name, base, count } of view.layout.inputs.filter((f) => f.depth === 1)) {
    const pointer = view.word(name);
    if (base === 'char' && count !== undefined) visit(view, name);
    else if (pointer === 0n) continue;
    else if (base === 'PJRT_Program') visitStrings(api, structAt(api.struct(base), pointer), visit);
    else if (base === 'PJRT_NamedValue' && count !== undefined) {
      const layout = api.struct(base);
      for (let i = 0; i < view.size(count); i++) {
        const value = structAt(layout, pointer + BigInt(i * layout.size));
        visit(value, 'name');
        // Only the type of a value says whether it is a string.
        if (value.int('type') === NAMED_STRING) visit(value, 'string_value');
      }
    }
  }
}

function moveString(view: StructView, field: string): number {
  const size = view.word(field) === 0n ? 0 : view.count(field);
  if (size === 0) return 0;
  const block = guardedBlock(size, field);
  block.bytes.set(readBytes(view.word(field), size));
  view.setWord(field, block.address);
  return 1;
}

/** A struct in memory of the harness, to be changed in place. */
const structAt = (layout: StructLayout, address: bigint): StructView =>
  new StructView(layout, viewMemory(address, layout.size));
