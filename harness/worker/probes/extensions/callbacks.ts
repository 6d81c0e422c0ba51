import { extensionEnum, extensionStruct } from '../../../knowledge/abi/index.ts';
import { callback } from '../../ffi/function.ts';
import { readBytes } from '../../ffi/memory.ts';
import type { PluginExtension } from '../../pjrt/extension-call.ts';
import { readText, TEXT_LIMIT } from '../../pjrt/strings.ts';
import { StructView } from '../../pjrt/struct-view.ts';
import type { CaseContext } from '../../steps/context.ts';
import { probe } from '../probe.ts';
import { extensionOf, fail } from './support.ts';

const prefatal = (): number => extensionEnum('PJRT_Callback_Type').get('PJRT_Callback_Type_Prefatal')!;
const ARGS = 'PJRT_Callback_PrefatalArgs';
const USERS = [0x5eed01n, 0x5eed02n];
const ERRORS = [
  { code: 'INTERNAL', message: 'the device has stopped' },
  { code: 'UNAVAILABLE', message: 'and so has the next one' },
];

/** What a callback was given. */
interface Seen {
  user: bigint;
  code: number;
  message: string;
}

/** Two callbacks of one type run once each, in the invocation, with its error and their own user_arg. */
export const callbackExtension = probe('extension-callback', {}, async (context) => {
  const extension = extensionOf(context, 'Callback');
  const seen: Seen[] = [];
  for (const user of USERS) register(context, extension, user, seen);
  for (const { code, message } of ERRORS) {
    seen.length = 0;
    const number = context.api.abi.enumValues('PJRT_Error_Code').get(`PJRT_Error_Code_${code}`)!;
    await invoke(context, extension, number, message);
    for (const user of USERS) {
      const runs = seen.filter((s) => s.user === user);
      if (runs.length !== 1)
        fail(extension, `a registered callback ran ${runs.length} times in an invocation, expected once`);
      if (runs[0]!.code !== number || runs[0]!.message !== message)
        fail(
          extension,
          `a callback got the error ${runs[0]!.code} "${runs[0]!.message}", expected ${number} "${message}"`,
        );
    }
    if (seen.length !== USERS.length) fail(extension, 'a callback got a user_arg that nobody registered');
  }
});

/** Registers a callback for as long as the process lives: it is never released. */
function register(context: CaseContext, extension: PluginExtension, user: bigint, seen: Seen[]): void {
  const layout = extensionStruct(ARGS);
  const { address } = callback(
    'void PjrtPrefatal(void* args, void* user_arg)',
    (args: bigint, given: bigint | null) => {
      const bytes = readBytes(args, layout.structSize);
      const error = new StructView(layout, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      const size = error.size('error_message_size');
      const text = size > TEXT_LIMIT ? `${size} bytes` : readText(error.word('error_message'), size);
      seen.push({ user: given ?? 0n, code: error.int('error_code'), message: text });
    },
  );
  extension.invoke('register_callback', (call) => {
    call.setWord('client', context.client.pointer);
    call.setInt('type', prefatal());
    call.setWord('callback', address);
    call.setWord('user_arg', user);
  });
}

async function invoke(context: CaseContext, extension: PluginExtension, code: number, message: string): Promise<void> {
  const layout = extensionStruct(ARGS);
  const block = context.arena.alloc(layout.size, 8);
  const args = new StructView(layout, block.view);
  const text = context.arena.text(message);
  args.reset();
  args.setInt('error_code', code);
  args.setWord('error_message', text.address);
  args.setSize('error_message_size', text.length);
  await extension.invokeAsync('invoke_callback', (call) => {
    call.setWord('client', context.client.pointer);
    call.setInt('type', prefatal());
    call.setWord('args', block.address);
  });
}
