import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import type { Fields } from './struct-view.ts';

/** A program and the options to compile it with, in native memory, as the arguments of functions that compile. */
export function compilation(api: PjrtApi, arena: Arena, code: Uint8Array, format: string, options: Uint8Array): Fields {
  const program = api.make(arena, 'PJRT_Program');
  const formatText = arena.text(format);
  program.at(0).set({
    code: arena.input(code).address,
    code_size: code.length,
    format: formatText.address,
    format_size: formatText.length,
  });
  return {
    program: program.address,
    compile_options: arena.input(options).address,
    compile_options_size: options.length,
  };
}
