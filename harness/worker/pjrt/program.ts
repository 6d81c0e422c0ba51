import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';

/** A PJRT_Program in native memory. */
export function makeProgram(api: PjrtApi, arena: Arena, code: Uint8Array, format: string): bigint {
  const program = api.make(arena, 'PJRT_Program');
  const view = program.at(0);
  const codeBytes = arena.input(code);
  const formatText = arena.text(format);
  view.setWord('code', codeBytes.address);
  view.setSize('code_size', code.length);
  view.setWord('format', formatText.address);
  view.setSize('format_size', formatText.length);
  return program.address;
}
