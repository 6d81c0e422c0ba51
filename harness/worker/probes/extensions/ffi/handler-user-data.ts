import { extensionStruct } from '../../../../knowledge/abi/index.ts';
import type { CaseContext } from '../../../steps/context.ts';
import { probe } from '../../probe.ts';
import { hashed, violated } from '../../support/checks.ts';
import { extensionOf } from '../support.ts';
import { EXECUTE } from './call-frame.ts';
import { Handler } from './handler.ts';

const USER_DATA = 'EXT-FFI-007';

/** A handler finds the data that were added to the execute context of its execution, and those of no other. */
export const ffiHandlerUserData = probe('ffi-handler-user-data', {}, async (context) => {
  const { arena } = context;
  const types = [registerType(context, 'pjrt_conformance.umbrella'), registerType(context, 'pjrt_conformance.coat')];
  let seen: (bigint | undefined)[] = [];
  const handler = await Handler.register(context, (frame) => {
    seen = types.map((type) => frame.userData(type));
    return undefined;
  });
  const executable = await handler.compile('custom_call/handler');
  const args = handler.put([hashed('f32', [2, 3]), hashed('s32', [5])]);
  const data = [arena.alloc(16).address, arena.alloc(16).address];
  const both = contextWith(context, [
    [types[0]!, data[0]!],
    [types[1]!, data[1]!],
  ]);
  const one = contextWith(context, [[types[1]!, data[0]!]]);
  const runs: [what: string, execute: bigint, expected: (bigint | undefined)[]][] = [
    ['two types', both, data],
    ['one type', one, [undefined, data[0]]],
    ['two types again', both, data],
    // Without any context, XLA's function reads from a null pointer.
    ['no type', contextWith(context, []), [undefined, undefined]],
  ];
  for (const [round, [what, execute, expected]] of runs.entries()) {
    await handler.executeWell(executable, args, (options) => options.setWord('context', execute));
    handler.expectCalls(round + 1);
    seen.forEach((found, i) => {
      if (found === expected[i]) return;
      const wanted = expected[i] === undefined ? 'which the context does not have' : 'and not what was added';
      violated(
        `with ${what} in its context, a handler finds ${word(found)} for type ${i}, ${wanted}`,
        EXECUTE,
        USER_DATA,
      );
    });
  }
});

const word = (found: bigint | undefined): string => (found === undefined ? 'no data' : `0x${found.toString(16)}`);

/** Registers a type without a deleter: its data stay the harness's. */
function registerType(context: CaseContext, name: string): bigint {
  const { arena } = context;
  const text = arena.text(name);
  const info = arena.alloc(extensionStruct('PJRT_FFI_Type_Info').size, 16);
  return extensionOf(context, 'FFI').invoke(
    'type_register',
    (call) => {
      call.setWord('type_name', text.address);
      call.setSize('type_name_size', text.length);
      call.setWord('type_info', info.address);
    },
    (call) => call.word('type_id'),
  );
}

/** A new execute context with these data by type. */
function contextWith(context: CaseContext, data: readonly (readonly [type: bigint, data: bigint])[]): bigint {
  const { api, scope } = context;
  const made = api.invoke(
    'PJRT_ExecuteContext_Create',
    () => {},
    (call) => call.word('context'),
  );
  scope.defer(() => api.invoke('PJRT_ExecuteContext_Destroy', (call) => call.setWord('context', made)));
  for (const [type, address] of data) {
    extensionOf(context, 'FFI').invoke('user_data_add', (call) => {
      call.setWord('context', made);
      const user = call.nested('user_data', extensionStruct('PJRT_FFI_UserData'));
      user.setWord('type_id', type);
      user.setWord('data', address);
    });
  }
  return made;
}
