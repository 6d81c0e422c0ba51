import type { Field } from '../../abi/index.ts';
import { readBytes } from '../../ffi/memory.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import type { Call } from '../../pjrt/call.ts';
import { Plugin } from '../../pjrt/plugin.ts';
import { readField } from '../../steps/call-results.ts';
import type { CaseContext } from '../../steps/context.ts';
import { SuiteFault } from '../../steps/outcome.ts';
import { same, show } from '../../steps/predicate.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, choice, doWork } from './support.ts';

const REPETITIONS = 3;
const POINTER_BYTES = 8;

interface Subject {
  field: string;
  handle: { pointer: bigint; api: PjrtApi };
}

/** One answer of the plugin: decoded, where it lies, and a copy of what lay there. */
interface Answer {
  contents: Map<string, unknown>;
  memory: Map<string, { address: bigint; bytes: Uint8Array }>;
}

/**
 * Asks the same question several times: the contents must be the same, the memory of the first answer must keep them
 * until the end, and it should be the same memory each time.
 */
export const stableAnswer: Probe = (context, options) => {
  const name = String(options.function);
  const meanwhile = choice(options, 'meanwhile', ['nothing', 'work', 'work-of-others'], 'nothing');
  const subject = Object.entries((options.on ?? {}) as Record<string, string>).map(
    ([field, reference]): Subject => ({ field, handle: context.resolve(reference) as Subject['handle'] }),
  );
  const plugin = options.plugin === undefined ? undefined : context.resolve(String(options.plugin));
  const api = plugin instanceof Plugin ? plugin.api : (subject[0]?.handle.api ?? context.api);
  context.using(api, () => {
    const first = ask(context, name, subject);
    let moved = false;
    for (let i = 0; i < REPETITIONS; i++) {
      if (meanwhile !== 'nothing') keepBusy(context, api, meanwhile);
      const again = ask(context, name, subject);
      for (const [field, value] of again.contents) {
        const before = first.contents.get(field);
        if (!same(before, value)) broken(`${name} gave ${show(before)} as ${field}, and later ${show(value)}`, name);
      }
      for (const [field, { address }] of again.memory) moved ||= first.memory.get(field)?.address !== address;
    }
    for (const [field, { address, bytes }] of first.memory) {
      if (Buffer.compare(readBytes(address, bytes.length), bytes) !== 0)
        broken(`the memory of the ${field} that ${name} gave was overwritten while its owner was alive`, name);
    }
    if (moved) {
      context.report({
        type: 'pjrt.AssertionFailed',
        level: 'should',
        message: `${name} returns different memory each time, although the result belongs to its owner`,
        call: name,
      });
    }
  });
};

function ask(context: CaseContext, name: string, subject: readonly Subject[]): Answer {
  const { api } = context;
  const call = api.begin(name);
  try {
    for (const { field, handle } of subject) call.setWord(field, handle.pointer);
    call.run();
    const fields = call.layout.outputs;
    return {
      contents: new Map(fields.map((f) => [f.name, readField(context, call, f, new Map(), [])])),
      memory: new Map(
        fields.flatMap((f) => {
          const length = bytesBehind(context, call, f);
          const address = f.size === 8 ? call.word(f.name) : 0n;
          return length === undefined || address === 0n
            ? []
            : [[f.name, { address, bytes: readBytes(address, length) }]];
        }),
      ),
    };
  } finally {
    context.instrument.breadcrumb?.idle();
    api.finish(call);
  }
}

/** Bytes of the array that an out-pointer points to; undefined when it points to none. */
function bytesBehind({ api }: CaseContext, call: Call, { name, base, depth, count }: Field): number | undefined {
  if (count === undefined || call.layout.field(count).depth > 0) return undefined;
  return call.count(name) * (depth > 1 ? POINTER_BYTES : api.pluginAbi.sizeOf(base).size);
}

function keepBusy(context: CaseContext, api: PjrtApi, whose: 'work' | 'work-of-others'): void {
  for (const seat of context.seats) {
    if ((seat.plugin.api === api) !== (whose === 'work')) continue;
    if (!seat.client) throw new SuiteFault('work needs the shared client');
    doWork(context, seat.client);
  }
}
