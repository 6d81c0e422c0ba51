import { CHANGING, type Field } from '../../../knowledge/abi/index.ts';
import type { Call } from '../../pjrt/call.ts';
import { Device } from '../../pjrt/device.ts';
import { NativeObject } from '../../pjrt/handle.ts';
import { Memory } from '../../pjrt/memory.ts';
import { readInt64s } from '../../pjrt/strings.ts';
import type { CaseContext } from '../../steps/context.ts';
import { checkUnchanged, type HeldMemory, heldMemory } from '../../steps/held-memory.ts';
import { argsOf } from '../../steps/named-call.ts';
import { same } from '../../steps/predicate.ts';
import { runValidCall } from '../../steps/run-valid-call.ts';
import { showOf } from '../../steps/words.ts';
import { probe } from '../probe.ts';
import { functionsOf, hasFreshSubject, tryOut } from './offered.ts';

interface Answer {
  name: string;
  contents: ReadonlyMap<string, unknown>;
  memory: readonly HeldMemory[];
}

/**
 * Every query is asked twice in a row, from its first call in the process on, and once more after all others: what it is asked
 * about does not change, so neither do its answers. The memory of an answer keeps it while its owner lives.
 */
export const everyQuery = probe('every-query', {}, (context) => {
  const answers: Answer[] = [];
  for (const name of functionsOf(context, 'query', CHANGING)) {
    const first = ask(context, name);
    if (!first) continue;
    compare(context, first, ask(context, name, true));
    // The error, the event or the manager that was made for this one is not there for later questions.
    if (!hasFreshSubject(name)) answers.push(first);
  }
  for (const first of answers) {
    compare(context, first, ask(context, first.name, true));
    for (const held of first.memory) checkUnchanged(held);
  }
});

function ask(context: CaseContext, name: string, again?: true): Answer | undefined {
  let memory: HeldMemory[] = [];
  const nested = new Map<string, unknown>();
  const answer = tryOut(() =>
    runValidCall(context, name, {
      ...(again ? { again } : {}),
      after: (call, failed) => {
        if (failed) return;
        memory = call.layout.outputs.flatMap((f) => heldMemory(context.api, call, f.name) ?? []);
        for (const field of call.layout.outputs.filter(isStruct))
          nested.set(field.name, layoutIn(context, call, field));
      },
    }),
  );
  if (!answer || answer.error) return undefined;
  return {
    name,
    contents: new Map([...answer.outputs, ...nested].map(([field, value]) => [field, plain(value)])),
    memory,
  };
}

function compare(context: CaseContext, first: Answer, again: Answer | undefined): void {
  const { name } = first;
  const differ = (message: string): void =>
    context.report({ type: 'pjrt.AssertionFailed', message, call: name, requirements: ['ABI-QRY-001'] });
  if (!again) differ(`${name} answers when it is asked first, and not when it is asked again`);
  for (const [field, value] of again?.contents ?? []) {
    const before = first.contents.get(field);
    if (same(before, value)) continue;
    const show = showOf(context.api.pluginAbi, argsOf(context.api, name).field(field));
    differ(`${name} gave ${show(before)} as ${field}, and later ${show(value)}`);
  }
}

const isStruct = ({ depth, size }: Field): boolean => depth === 0 && size > 8;

/** The order of dimensions of a layout, which is the only struct that a query gives by value; its memory may be a fresh copy. */
function layoutIn({ api }: CaseContext, call: Call, field: Field): unknown {
  if (field.base !== 'PJRT_Buffer_MemoryLayout') return undefined;
  const layout = call.nested(field.name, api.struct(field.base));
  if (layout.int('type') !== 0) return [layout.int('type')];
  const tiled = layout.nested('tiled', api.struct('PJRT_Buffer_MemoryLayout_Tiled'));
  return readInt64s(tiled.word('minor_to_major'), tiled.size('minor_to_major_size'));
}

/** Devices and memories are known by their addresses, other objects only by what they say. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  const isObject = value instanceof NativeObject || (typeof value === 'object' && value !== null && 'pointer' in value);
  return isObject && !(value instanceof Device) && !(value instanceof Memory) ? 'an object' : value;
}
