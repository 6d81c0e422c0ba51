import type { Count, Integer, NonEmpty } from './values.ts';

/** The access to memory that ended a process, as far as its address says what it was. */
export interface InvalidAccess {
  /**
   * overrun: beside memory that the plugin was given · null: through a null pointer · stack: the stack is used up · wild:
   * anywhere else.
   */
  kind: 'overrun' | 'null' | 'stack' | 'wild';
  /** What the processor wanted there; missing where it does not say. */
  how?: 'read' | 'write' | 'run';
  /** Of `overrun`: the argument, or the struct. */
  block?: NonEmpty;
  /** Of `overrun`: its size. */
  bytes?: Count;
  /** Of `overrun`: how many bytes lie between it and the access; negative if the access is before it. */
  beyond?: Integer;
  /** Of `overrun`: the call that it was given to had ended. */
  late?: true;
  /** Of `null`: the address. */
  offset?: Count;
}

/** Whether what was left is a struct of the C API. */
export const isStruct = ({ block = '' }: InvalidAccess): boolean => block.includes('PJRT_');

/** What it was, as the end of a sentence about the process: `it reads past the end of \`data\` (24 bytes)`; nothing if wild. */
export function accessText(access: InvalidAccess): string | undefined {
  const { kind, how, block = '', bytes = 0, beyond = 0, late, offset = 0 } = access;
  const verb = how === undefined ? 'goes' : { read: 'reads', write: 'writes', run: 'jumps' }[how];
  if (kind === 'null') return `it ${verb} through a null pointer (address 0x${offset.toString(16)})`;
  if (kind === 'stack') return `it has used up its stack`;
  if (kind === 'wild') return undefined;
  const distance = Math.abs(beyond);
  const far = distance === 0 ? '' : ` ${inBytes(distance)}`;
  const side = beyond < 0 ? 'before the beginning' : 'past the end';
  const what = isStruct(access) ? block : `\`${block}\``;
  const after = late ? ', after the call that it was given to' : '';
  return `it ${verb}${far} ${side} of ${what} (${inBytes(bytes)})${after}`;
}

const inBytes = (count: number): string => `${count.toLocaleString('en-US')} ${count === 1 ? 'byte' : 'bytes'}`;
