import { LoadedExecutable } from '../../pjrt/executable.ts';
import type { CaseContext } from '../../steps/context.ts';
import { violated } from '../support/checks.ts';
import { readSerialized } from './read-serialized.ts';

/** Bytes of the executable behind a loaded one. @throws PjrtError */
export function serialize(context: CaseContext, loaded: LoadedExecutable): Uint8Array {
  const executable = loaded.getExecutable();
  try {
    return readSerialized(context.api, 'PJRT_Executable_Serialize', (call) =>
      call.setWord('executable', executable.pointer),
    );
  } finally {
    executable.destroy();
  }
}

/** Loads an executable from bytes, which are overwritten afterwards. @throws PjrtError */
export function loadSerialized(context: CaseContext, bytes: Uint8Array): LoadedExecutable {
  const block = context.arena.input(bytes, 'serialized_executable');
  const pointer = context.api.invoke(
    'PJRT_Executable_DeserializeAndLoad',
    (call) => {
      call.setWord('client', context.client.pointer);
      call.setWord('serialized_executable', block.address);
      call.setSize('serialized_executable_size', bytes.length);
    },
    (call) => call.word('loaded_executable'),
  );
  block.bytes.fill(0xee);
  if (pointer === 0n) {
    violated(
      'PJRT_Executable_DeserializeAndLoad succeeded, but its loaded_executable is NULL; frameworks abort on it',
      'PJRT_Executable_DeserializeAndLoad',
      'SER-EXE-008',
      'pjrt.BadData',
    );
  }
  return context.scope.own(new LoadedExecutable(context.api, pointer));
}
