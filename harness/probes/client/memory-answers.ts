import type { Memory } from '../../pjrt/memory.ts';
import { readText } from '../../pjrt/strings.ts';
import type { CaseContext } from '../../steps/context.ts';
import { SuiteFault } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

type Options = Readonly<Record<string, unknown>>;
type Rule = (context: CaseContext, memories: readonly Memory[], options: Options) => void;

/** One rule over all memories of the client. */
export const memoryAnswers: Probe = (context, options) => {
  const rule = RULES[String(options.rule)];
  if (!rule) throw new SuiteFault(`rule is one of ${Object.keys(RULES).join(', ')}`);
  rule(context, context.client.addressableMemories(), options);
};

const RULES: Readonly<Record<string, Rule>> = {
  ids: (_, memories) => {
    const ids = memories.map((m) => m.id());
    const twice = ids.find((id, i) => ids.indexOf(id) !== i);
    if (twice !== undefined) broken(`two memories have the id ${twice}`, 'PJRT_Memory_Id');
    if (memories.some((m, i) => m.id() !== ids[i])) broken('the id of a memory changes', 'PJRT_Memory_Id');
  },
  'kind-ids': (_, memories) => {
    const kinds = new Map<string, number>();
    const ids = new Map<number, string>();
    for (const memory of memories) {
      const kind = memory.memoryKind();
      const id = memory.kindId();
      if ((kinds.get(kind) ?? id) !== id)
        broken(`two memories of the kind ${JSON.stringify(kind)} have different kind ids`, 'PJRT_Memory_Kind_Id');
      if ((ids.get(id) ?? kind) !== kind)
        broken(
          `memories of the kinds ${JSON.stringify(ids.get(id))} and ${JSON.stringify(kind)} have the same kind id`,
          'PJRT_Memory_Kind_Id',
        );
      kinds.set(kind, id);
      ids.set(id, kind);
    }
  },
  'kinds-of-a-device': ({ client }) => {
    for (const device of client.addressableDevices()) {
      const kinds = device.memories().map((m) => m.memoryKind());
      const twice = kinds.find((kind, i) => kinds.indexOf(kind) !== i);
      if (twice !== undefined)
        broken(
          `the device with the id ${device.id()} has two memories of the kind ${JSON.stringify(twice)}`,
          'PJRT_Memory_Kind',
        );
    }
  },
  text: (context, memories, options) => {
    const name = String(options.function);
    const field = String(options.field ?? (name.endsWith('DebugString') ? 'debug_string' : 'to_string'));
    for (const memory of memories) {
      const ask = () =>
        context.api.invoke(
          name,
          (call) => call.setWord('memory', memory.pointer),
          (call) => ({ address: call.word(field), size: call.count(field) }),
        );
      const first = ask();
      const text = readText(first.address, first.size);
      if (text === '') broken(`the ${field} of the memory with the id ${memory.id()} is empty`, name);
      const second = ask();
      if (readText(second.address, second.size) !== text)
        broken(`the ${field} of the memory with the id ${memory.id()} changes from one call to the next`, name);
      if (readText(first.address, first.size) !== text)
        broken(`the ${field} of the memory with the id ${memory.id()} was overwritten by the next call`, name);
    }
  },
};
