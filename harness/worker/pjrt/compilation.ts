import type { Arena, Block } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import type { Calls } from './calls.ts';
import type { Fields } from './struct-view.ts';

/** A program and the options to compile it with. */
export interface Compilation {
  code: Uint8Array;
  format: string;
  options: Uint8Array;
}

/**
 * Compiles by one of the functions that do. Program and options belong to the caller: even a compilation that fails leaves them
 * as they were.
 * @returns the executable
 */
export function* compiling(
  api: PjrtApi,
  arena: Arena,
  name: string,
  { code, format, options }: Compilation,
  more: Fields,
): Calls<bigint> {
  const program = api.make(arena, 'PJRT_Program');
  const [sent, sentOptions, formatText] = [
    arena.input(code, 'code'),
    arena.input(options, 'compile_options'),
    arena.text(format),
  ];
  program.at(0).set({
    code: sent.address,
    code_size: code.length,
    format: formatText.address,
    format_size: formatText.length,
  });
  const compilation = {
    program: program.address,
    compile_options: sentOptions.address,
    compile_options_size: options.length,
  };
  try {
    return yield* api.calling(name, { ...compilation, ...more }, (call) => call.word('executable'));
  } finally {
    if (hasChanged(sent, code)) reportChanged(api, name, 'program');
    if (hasChanged(sentOptions, options)) reportChanged(api, name, 'compile options');
  }
}

const hasChanged = (sent: Block, bytes: Uint8Array): boolean =>
  Buffer.compare(sent.bytes.subarray(0, bytes.length), bytes) !== 0;

function reportChanged({ instrument }: PjrtApi, name: string, what: string): void {
  instrument.onFinding({
    type: 'pjrt.InputModified',
    level: 'should',
    message: `${name} changed the ${what} of its caller`,
    call: name,
    requirements: ['ABI-ARGS-010'],
  });
}
