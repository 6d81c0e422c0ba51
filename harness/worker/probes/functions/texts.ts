import type { TypedOption } from '../../../model/plugin.ts';
import { type GuardedBlock, guardedBlock } from '../../ffi/memory.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import { Client } from '../../pjrt/client.ts';
import { errorOf, errorOfAsync, type PjrtError } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import type { Handle } from '../../pjrt/handle.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { readText } from '../../pjrt/strings.ts';
import type { StructView } from '../../pjrt/struct-view.ts';
import { createAlias, fulfillAlias } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import { runValidCall, type ValidAnswer } from '../../steps/run-valid-call.ts';
import { visitStrings } from '../../steps/unterminated-strings.ts';
import { probe } from '../probe.ts';
import { defaultMemory } from '../support/sending.ts';
import { functionsOf, tryOut } from './offered.ts';

/** Bytes of a text: around what small strings, bytes and pages hold. */
const LENGTHS = [0, 1, 31, 32, 33, 255, 256, 257, 4096];

/** Functions whose texts are not varied here, and why. */
export const OWN_TEXTS: Readonly<Record<string, string>> = {
  PJRT_Client_Create: 'its options have a case of their own',
};

const blocks = new Map<number, GuardedBlock>();

/** Printable bytes that tell where they are, before inaccessible memory. Such blocks are never given back, so they are kept. */
function textOf(length: number): { block: GuardedBlock; text: string } {
  const counted = Array.from({ length: length / 2 + 1 }, (_, i) => `${i}.`).join('');
  const text = counted.slice(0, length);
  const block = blocks.get(length) ?? guardedBlock(length, 'a text');
  blocks.set(length, block);
  block.bytes.set(new TextEncoder().encode(text));
  return { block, text };
}

/** Where a text comes back that was passed to a function: the error that then shows it. */
const RETURNS: Readonly<Record<string, (context: CaseContext, answer: ValidAnswer) => PjrtError | undefined>> = {
  PJRT_Client_CreateErrorBuffer: (_, { outputs }) => errorOf(() => (outputs.get('buffer') as Buffer).awaitReady()),
  PJRT_Event_Set: (context) => errorOf(() => (context.resolve('fresh_created_event') as Event).await()),
  PJRT_AsyncHostToDeviceTransferManager_SetBufferError: (context) =>
    errorOf(() => (context.resolve('retrieved') as Buffer).awaitReady()),
};

/** What has to be done before a call, so that its text can come back. */
const PREPARES: Readonly<Record<string, (context: CaseContext) => void>> = {
  PJRT_AsyncHostToDeviceTransferManager_SetBufferError: (context) => {
    const { pointer } = context.resolve('fresh_manager') as Handle;
    const retrieve = 'PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer';
    const buffer = context.api.invoke(
      retrieve,
      { transfer_manager: pointer, buffer_index: 0 },
      (call) => new Buffer(context.api, call.word('buffer_out')),
    );
    context.bind('retrieved', context.scope.own(buffer));
  },
};

/**
 * Every text that a function takes has every length in turn, and ends where nothing can be read: it is taken or refused, and
 * is whole where it comes back.
 */
export const everyText = probe('every-text', {}, async (context) => {
  for (const name of functionsOf(context, 'text', OWN_TEXTS)) {
    // A function that is not offered answers no text.
    const usual = tryOut(() => runValidCall(context, name));
    if (!usual || usual.error) continue;
    let places = 1;
    for (let place = 0; place < places; place++)
      for (const length of LENGTHS) {
        const { block, text } = textOf(length);
        const answer = runValidCall(context, name, {
          before: (call) => {
            PREPARES[name]?.(context);
            if (call.layout.has('error_code')) call.setInt('error_code', codeOf(context));
            places = replaceText(context, call, place, block);
          },
        });
        if (answer.error || length === 0) continue;
        checkReturned(context, name, text, RETURNS[name]?.(context, answer));
      }
  }
  await everyTextOfAlias(context);
});

/** The same of the message that an alias is fulfilled with, which is a call that every alias takes once. */
async function everyTextOfAlias(context: CaseContext): Promise<void> {
  const { api, arena, client, scope } = context;
  const functions = ['PJRT_Client_CreateAliasBuffer', FULFILL];
  if (!functions.every((name) => api.has(name))) return;
  const code = codeOf(context);
  // XLA hands the alias's own error back from the call that sets it; without a text that would be an error without a message.
  for (const length of LENGTHS.filter((one) => one > 0)) {
    const { block, text } = textOf(length);
    const spec = { type: api.abi.enumValue('PJRT_Buffer_Type', 'PJRT_Buffer_Type_F32'), dims: [4] };
    const made = tryOut(() => createAlias(client, arena, spec, defaultMemory(context)));
    if (!made) return;
    const alias = scope.own(made.buffer);
    await errorOfAsync(fulfillAlias(api, made.fulfill, { code, message: { address: block.address, length } }));
    checkReturned(context, FULFILL, text, await errorOfAsync(scope.own(alias.readyEvent()).awaitAsync()));
  }
}
const FULFILL = 'PJRT_Client_FulfillAliasBuffer';

const codeOf = ({ api }: CaseContext): number => api.abi.enumValue('PJRT_Error_Code', 'PJRT_Error_Code_INTERNAL');

/** Puts a text in the place of one of those that are passed. @returns how many there are */
function replaceText({ api }: CaseContext, view: StructView, place: number, block: GuardedBlock): number {
  let places = 0;
  visitStrings(api, view, (owner, field) => {
    const { content, count } = owner.layout.field(field);
    if (content !== 'text' || places++ !== place) return;
    owner.set({ [field]: block.address, [count!]: block.bytes.length });
  });
  return places;
}

function checkReturned(context: CaseContext, name: string, text: string, error: PjrtError | undefined): void {
  if (!error || error.text.includes(text)) return;
  context.report({
    type: 'pjrt.AssertionFailed',
    level: 'should',
    message: `a text of ${text.length} bytes that ${name} was given does not come back whole`,
    detail: `message: ${error.text.slice(0, 300)}`,
    call: name,
    requirements: ['ABI-STR-004'],
  });
}

/** A client is created with an option, name and value of every length: with a client or an error, and nothing else. */
export const everyOptionText = probe('every-option-text', {}, (context) => {
  const { api, arena, subjects } = context;
  for (const length of LENGTHS) {
    const { text, block } = textOf(length);
    const option: TypedOption = { kind: 'string', value: text };
    const named = makeNamedValues(api, arena, { ...subjects[0]!.setup.options, [text]: option });
    errorOf(() =>
      api
        .invoke(
          'PJRT_Client_Create',
          (call) => {
            call.set({ create_options: named.address, num_options: named.count });
            visitStrings(api, call, (owner, field) => {
              if (readText(owner.word(field), owner.count(field)) === text) owner.set({ [field]: block.address });
            });
          },
          (call) => new Client(api, call.word('client')),
        )
        .destroy(),
    );
  }
});
