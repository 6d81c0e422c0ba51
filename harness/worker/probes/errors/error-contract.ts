import { functionAt } from '../../ffi/function.ts';
import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { readBytes } from '../../ffi/memory.ts';
import type { ErrorPayload } from '../../pjrt/errors.ts';
import { PayloadVisitor } from '../../pjrt/payload-visitor.ts';
import { TEXT_LIMIT } from '../../pjrt/strings.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { PROVOCATIONS, provokeAnyError, provokeError } from '../../steps/provoke-error.ts';
import type { RawError } from '../../steps/raw-error.ts';
import { oneOf, probe } from '../probe.ts';
import { violated } from '../support/checks.ts';

const TOKEN = 0x5eed1234n;

/** Everything that can be asked of one error, asked twice. */
export const errorContract = probe(
  'error-contract',
  { from: oneOf(...Object.keys(PROVOCATIONS)) },
  (context, { from: name }) => {
    const error = provokeError(context, name);
    if (!error) throw new NotSupported(`${PROVOCATIONS[name]!.function} lets this call pass, so there is no error`);
    context.scope.own(error);
    inspect(context, error);
  },
);

/** What an error says, with the code. */
export interface ErrorImage {
  code: number;
  messagePointer: bigint;
  message: Uint8Array;
}

const fail = (error: RawError, requirement: string, message: string): never => {
  violated(`an error of ${error.from}: ${message}`, error.from, requirement, 'pjrt.ErrorContract');
};

/** Reads an error through the API table. */
export function readError(context: CaseContext, error: RawError): ErrorImage {
  const code = context.api.invoke(
    'PJRT_Error_GetCode',
    (call) => {
      call.setWord('error', error.pointer);
      call.setInt('code', -77);
    },
    (call) => call.int('code'),
  );
  return context.api.invoke(
    'PJRT_Error_Message',
    (call) => {
      call.setWord('error', error.pointer);
      call.setSize('message_size', TEXT_LIMIT + 1);
    },
    (call) => {
      const messagePointer = call.word('message');
      const size = call.size('message_size');
      if (size > TEXT_LIMIT) fail(error, 'ERR-MSG-001', `message_size was not written, or is ${BigInt(size)}`);
      if (messagePointer === 0n && size > 0) fail(error, 'ERR-MSG-001', `the message is NULL and has ${size} bytes`);
      return {
        code,
        messagePointer,
        message: messagePointer === 0n ? new Uint8Array() : readBytes(messagePointer, size),
      };
    },
  );
}

function inspect(context: CaseContext, error: RawError): void {
  const first = readError(context, error);
  if (first.code < 1 || first.code > 16) fail(error, 'ERR-CODE-001', `the code is ${first.code}, codes are 1 to 16`);
  const second = readError(context, error);
  if (second.code !== first.code) fail(error, 'ERR-CODE-001', `the code is ${first.code}, then ${second.code}`);
  // It may be another copy each time, if every one lives as long as the error.
  if (
    first.message.length > 0 &&
    Buffer.compare(readBytes(first.messagePointer, first.message.length), first.message) !== 0
  )
    fail(error, 'ERR-MSG-001', 'the message is overwritten when it is asked for again');
  if (Buffer.compare(second.message, first.message) !== 0) fail(error, 'ERR-MSG-001', 'the message changes');
  const should = (message: string): void =>
    context.report({
      type: 'pjrt.ErrorContract',
      level: 'should',
      message: `an error of ${error.from}: ${message}`,
      call: error.from,
      requirements: ['ERR-MSG-002'],
    });
  if (first.message.length === 0) should('the message is empty');
  if (first.message.at(-1) === 0) should('message_size counts the NUL at the end');
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(first.message);
  } catch {
    should('the message is not UTF-8');
  }
  inspectPayloads(context, error);
  const third = readError(context, error);
  if (third.code !== first.code)
    fail(error, 'ERR-CODE-001', `the code is ${first.code}, and ${third.code} after its payloads were visited`);
  if (Buffer.compare(third.message, first.message) !== 0)
    fail(error, 'ERR-MSG-001', 'the message changes when the payloads are visited');
  if (context.api.sharedMinor >= 107) functionTable(context, error, first);
}

/** Without payloads the visitor is not called; with some, once each, with the caller's argument. @returns their keys */
export function inspectPayloads(context: CaseContext, error: RawError): string[] {
  if (!context.api.has('PJRT_Error_ForEachPayload')) return [];
  const rounds = [readPayloads(context, error), readPayloads(context, error)].map((all) => all.map(({ key }) => key));
  for (const keys of rounds) {
    if (new Set(keys).size !== keys.length)
      fail(error, 'ERR-PAY-001', `a payload is visited twice: ${keys.join(', ')}`);
  }
  if (rounds[0]!.join() !== rounds[1]!.join()) fail(error, 'ERR-PAY-001', 'the payloads differ from visit to visit');
  return rounds[0]!;
}

let visitor: PayloadVisitor | undefined;

/** The payloads of an error, in the order in which the visitor receives them. */
export function readPayloads(context: CaseContext, error: RawError): ErrorPayload[] {
  visitor ??= new PayloadVisitor();
  visitor.reset();
  context.api.invoke('PJRT_Error_ForEachPayload', {
    error: error.pointer,
    visitor: visitor.address,
    user_arg: TOKEN,
  });
  if (visitor.users().some((user) => user !== TOKEN))
    fail(error, 'ERR-PAY-002', 'the visitor got another user argument than it was given');
  return visitor.payloads();
}

/** From 0.107 on, an error begins with a table of its own, which frameworks call directly. */
function functionTable(context: CaseContext, error: RawError, known: ErrorImage): void {
  const layout = context.api.pluginStruct('PJRT_Error_FunctionTable');
  const mappings = readMappings();
  const readable = (at: bigint): boolean => !mappings || mappingAt(mappings, at)?.readable === true;
  const table = new DataView(readBytes(error.pointer, 8).buffer).getBigUint64(0, true);
  if (table === 0n) fail(error, 'ABI-ERRV-001', 'its first word is NULL, frameworks follow it');
  if (table % 8n !== 0n || !readable(table))
    fail(error, 'ABI-ERRV-001', 'its first word is no pointer to a function table');
  const view = context.api.view('PJRT_Error_FunctionTable', table);
  const size = view.size('struct_size');
  if (size < layout.structSize || size > 4096) {
    fail(error, 'ABI-ERRV-001', `the struct_size of its function table is ${size}, expected ${layout.structSize}`);
  }
  if (view.size('instance_size') < 8) {
    fail(
      error,
      'ABI-ERRV-001',
      `the instance_size of its function table is ${view.size('instance_size')}, expected 8 or more`,
    );
  }
  for (const slot of ['destroy', 'message', 'get_code', 'for_each_payload']) {
    const address = view.word(slot);
    if (address === 0n) fail(error, 'ABI-ERRV-001', `${slot} of its function table is NULL`);
    if (mappings && !mappingAt(mappings, address)?.executable) {
      fail(error, 'ABI-ERRV-001', `${slot} of its function table is no code`);
    }
  }
  const { recording } = context.instrument;
  const native = <T>(slot: 'get_code' | 'message', run: () => T): T => {
    recording?.table({ edge: 'begin', slot }, error.pointer);
    return context.instrument.native(`PJRT_Error_FunctionTable.${slot}`, run, true);
  };
  const getCode = functionAt(view.word('get_code'), 'int PjrtErrorTableGetCode(void* error)');
  const code = native('get_code', () => getCode(error.pointer)) as number;
  recording?.table({ edge: 'end', slot: 'get_code', code }, error.pointer);
  if (code !== known.code) fail(error, 'ABI-ERRV-002', `its table says code ${code}, the API table ${known.code}`);
  const message = functionAt(
    view.word('message'),
    'void PjrtErrorTableMessage(void* error, void* message, void* message_size)',
  );
  const out = context.arena.alloc(16, 16);
  native('message', () => message(error.pointer, out.address, out.address + 8n));
  const pointer = out.view.getBigUint64(0, true);
  const length = Number(out.view.getBigUint64(8, true));
  const said = pointer !== 0n && length === known.message.length ? readBytes(pointer, length) : undefined;
  recording?.table({ edge: 'end', slot: 'message', size: length, said }, error.pointer);
  const same = said !== undefined && Buffer.compare(said, known.message) === 0;
  if (!same && length + known.message.length > 0) {
    fail(error, 'ABI-ERRV-002', 'its table gives another message than the API table');
  }
}

/** The error's own table ends its life as well as PJRT_Error_Destroy does. */
export const errorTableDestroy = probe('error-table-destroy', {}, (context) => {
  const error = context.scope.own(provokeAnyError(context));
  const table = new DataView(readBytes(error.pointer, 8).buffer).getBigUint64(0, true);
  const destroy = functionAt(
    context.api.view('PJRT_Error_FunctionTable', table).word('destroy'),
    'void PjrtErrorTableDestroy(void* error)',
  );
  const { recording } = context.instrument;
  recording?.table({ edge: 'begin', slot: 'destroy' }, error.pointer);
  context.instrument.native('PJRT_Error_FunctionTable.destroy', () => destroy(error.pointer), true);
  recording?.table({ edge: 'end', slot: 'destroy' }, error.pointer);
  error.disown();
});
