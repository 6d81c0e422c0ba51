import type { StructLayout } from '../../abi/index.ts';
import { guardedBlock, readBytes, viewMemory } from '../../ffi/memory.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import { countField } from '../../pjrt/counts.ts';
import { StructView } from '../../pjrt/struct-view.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { functionOption } from './probe-options.ts';
import { control, runSoundCall } from './run-sound-call.ts';

const NAMED_STRING = 0;

/** Every string among the arguments ends right before an inaccessible page: whoever looks for a NUL crashes. */
export const callUnterminatedStrings: Probe = (context, options) => {
  const name = functionOption(context, options);
  control(context, name);
  let moved = 0;
  const { error } = runSoundCall(context, name, {
    before: (call) => {
      moved = moveStrings(context.api, call);
    },
  });
  if (moved === 0) throw new NotSupported(`${name} gets no strings from this run`);
  if (!error) return;
  throw new CheckFailure({
    type: 'pjrt.UnexpectedError',
    message: `${name} answered ${error.codeName} when its strings do not end in a NUL`,
    detail: `message: ${error.text}`,
    call: name,
  });
};

/** Moves strings to the ends of pages, also those of a program or of options. @returns how many */
function moveStrings(api: PjrtApi, view: StructView): number {
  let moved = 0;
  for (const field of view.layout.fields) {
    if (field.out || field.size !== 8) continue;
    const pointer = view.word(field.name);
    if (pointer === 0n) continue;
    const counter = countField(view.layout, field.name);
    if (/^const char\s*\*$/.test(field.type) && counter !== undefined) {
      const size = view.size(counter);
      if (size === 0) continue;
      const block = guardedBlock(size);
      block.bytes.set(readBytes(pointer, size));
      view.setWord(field.name, block.address);
      moved++;
    } else if (/\bPJRT_Program\s*\*$/.test(field.type)) {
      moved += moveStrings(api, structAt(api.struct('PJRT_Program'), pointer));
    } else if (/\bPJRT_NamedValue\s*\*$/.test(field.type) && counter !== undefined) {
      const layout = api.struct('PJRT_NamedValue');
      for (let i = 0; i < view.size(counter); i++) {
        const value = structAt(layout, pointer + BigInt(i * layout.size));
        moved += moveNamed(value);
      }
    }
  }
  return moved;
}

/** Name and value have size fields of their own names. */
function moveNamed(value: StructView): number {
  let moved = 0;
  const move = (field: string, sizeField: string): void => {
    const size = value.size(sizeField);
    if (size === 0) return;
    const block = guardedBlock(size);
    block.bytes.set(readBytes(value.word(field), size));
    value.setWord(field, block.address);
    moved++;
  };
  move('name', 'name_size');
  if (value.int('type') === NAMED_STRING) move('string_value', 'value_size');
  return moved;
}

/** A struct in memory of the harness, to be changed in place. */
const structAt = (layout: StructLayout, address: bigint): StructView =>
  new StructView(layout, viewMemory(address, layout.size));
