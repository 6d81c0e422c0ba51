import type { InvalidAccess } from '../model/invalid-access.ts';

/** An invalid access to memory, as the handler of its signal saw it (worker/ffi/faults.c). */
export interface Fault {
  /** si_code. */
  code: number;
  address: bigint;
  how: InvalidAccess['how'];
  stackPointer: bigint;
}

/** Memory that the plugin was given, and how far around it everything is inaccessible. */
export interface Lent {
  from: bigint;
  to: bigint;
  address: bigint;
  length: number;
  name: string;
  /** Whether it has not been taken back. */
  now: boolean;
}

/** Of an address that the processor does not say, because it is none: si_addr is 0. */
const SI_KERNEL = 0x80;
/** No process has anything below; a null pointer to a struct leads there, and to an array. */
const NULL_ZONE = 64n * 1024n;
/** A function that needs more stack than is left touches it this close to its stack pointer. */
const STACK_REACH = 64n * 1024n;

/** What an invalid access to memory was. The zones around what is lent belong to nothing else, so an address there says it all. */
export function invalidAccess(fault: Fault, lent: readonly Lent[]): InvalidAccess {
  const { address, code, how, stackPointer } = fault;
  const common = how ? { how } : {};
  if (code === SI_KERNEL) return { kind: 'wild', ...common };
  if (address < NULL_ZONE) return { kind: 'null', ...common, offset: Number(address) };
  const block = lent.find(({ from, to }) => address >= from && address < to);
  if (block) {
    const { name, length } = block;
    const end = block.address + BigInt(length);
    const beyond = Number(address < block.address ? address - block.address : address - end);
    return { kind: 'overrun', ...common, block: name, bytes: length, beyond, ...(block.now ? {} : { late: true }) };
  }
  const distance = address < stackPointer ? stackPointer - address : address - stackPointer;
  return { kind: distance < STACK_REACH ? 'stack' : 'wild', ...common };
}
