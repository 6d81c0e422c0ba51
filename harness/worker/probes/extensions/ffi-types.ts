import { randomBytes } from 'node:crypto';
import { extensionStruct } from '../../../knowledge/abi/index.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { PluginExtension } from '../../pjrt/extension-call.ts';
import type { CaseContext } from '../../steps/context.ts';
import { validObject } from '../../steps/run-valid-call.ts';
import { probe } from '../probe.ts';
import { extensionOf, fail } from './support.ts';

/** A type of the harness's own gets an id, and is refused under another one. */
export const ffiTypesExtension = probe('extension-ffi-types', {}, (context) => {
  registerType(context);
});

/** Data of such a type goes into an execute context, once. */
export const ffiUserDataExtension = probe('extension-ffi-user-data', {}, (context) => {
  const { extension, id } = registerType(context);
  const execute = validObject(context, 'fresh_context') as { pointer: bigint };
  const data = context.arena.alloc(16, 16).address;
  addData(extension, execute.pointer, id, data);
  expectRefused(extension, 'data of one type are accepted twice in one context', () =>
    addData(extension, execute.pointer, id, data),
  );
});

/** Registers a type, for as long as the process lives. */
function registerType(context: CaseContext): { extension: PluginExtension; id: bigint } {
  const extension = extensionOf(context, 'FFI');
  // The name must be new in the process; it is part of no message.
  const name = `conformance.${randomBytes(8).toString('hex')}`;
  const id = register(context, extension, name, 0n);
  if (id === 0n) fail(extension, 'a type was registered, but its id is 0');
  const other = register(context, extension, `${name}.other`, 0n);
  if (other === id) fail(extension, 'two types have the same id');
  expectRefused(extension, 'a type that is registered is accepted under another id', () =>
    register(context, extension, name, id + other + 1000n),
  );
  return { extension, id };
}

function register(context: CaseContext, extension: PluginExtension, name: string, id: bigint): bigint {
  const text = context.arena.text(name);
  // No deleter, and nothing that serializes: the data stay the harness's.
  const info = context.arena.alloc(extensionStruct('PJRT_FFI_Type_Info').size, 16);
  return extension.invoke(
    'type_register',
    (call) => {
      call.setWord('type_name', text.address);
      call.setSize('type_name_size', text.length);
      call.setWord('type_id', id);
      call.setWord('type_info', info.address);
    },
    (call) => call.word('type_id'),
  );
}

function addData(extension: PluginExtension, execute: bigint, id: bigint, data: bigint): void {
  extension.invoke('user_data_add', (call) => {
    call.setWord('context', execute);
    const user = call.nested('user_data', extensionStruct('PJRT_FFI_UserData'));
    user.setWord('type_id', id);
    user.setWord('data', data);
  });
}

function expectRefused(extension: PluginExtension, otherwise: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof PjrtError) return;
    throw error;
  }
  fail(extension, otherwise);
}
