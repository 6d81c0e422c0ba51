import {
  type Abi,
  extensionFunction,
  extensionFunctions,
  extensionNamed,
  isExtensionFunction,
} from '../../knowledge/abi/index.ts';
import type { StructLayout } from '../../knowledge/abi/struct-layout.ts';
import { Origins } from './origins.ts';

/** Support that only some programs need. */
export type Support = 'extension' | 'growth' | 'process' | 'tables' | 'values';

/** A program while it is written: its statements so far, and how it has the addresses of the recording. */
export class Draft {
  readonly abi: Abi;
  readonly origins = new Origins();
  readonly declarations: string[] = [];
  readonly statements: string[] = [];
  /** Files beside the program: texts as they are, other bytes as arrays. */
  readonly data = new Map<string, Uint8Array>();
  readonly beyond: string[] = [];
  /** What of the support the program needs beyond the common part: files of templates/export. */
  readonly needs = new Set<Support>();
  /** What the plugin's tables were like when it was loaded. */
  tables: { text: string; bytes: number } | undefined;
  /** Whether what is written is repeated. */
  inLoop = false;
  /** Whether what is written belongs to the case, not to what was before and after it. */
  inCase = false;
  /** The call for which statements are written. */
  user = -1;
  /** Calls whose answers a call needs. */
  readonly uses = new Map<number, Set<number>>();
  /** Functions that no program has, by their addresses, with the reason: it matters if the plugin is given one. */
  readonly unwritable = new Map<bigint, string>();

  constructor(abi: Abi) {
    this.abi = abi;
  }

  say(...statements: string[]): void {
    this.statements.push(...statements.map((one) => (this.inLoop && one !== '' ? `    ${one}` : one)));
  }

  /** The case does something that the program does not. */
  goesBeyond(what: string): void {
    if (this.inCase && !this.beyond.includes(what)) this.beyond.push(what);
  }

  /** An address as C has it. */
  address(word: bigint): string {
    const origin = this.origins.of(word);
    const reason = this.unwritable.get(word);
    if (reason !== undefined) this.goesBeyond(reason);
    this.used(origin?.call, this.user);
    return origin?.text ?? `0x${word.toString(16)}u`;
  }

  /** A call, or what is said of it, needs the answer of another one. */
  used(call: number | undefined, by: number): void {
    if (call !== undefined) this.uses.set(by, (this.uses.get(by) ?? new Set()).add(call));
  }

  /** Whether memory or a function of the program lies there. */
  isOwn(address: bigint): boolean {
    const origin = this.origins.of(address);
    return origin !== undefined && origin.call === undefined;
  }

  /** How a function is reached. */
  functionOf(name: string): string {
    if (!isExtensionFunction(name)) return `api->${name}`;
    const { extension, slot } = extensionFunction(name);
    const { struct, type } = extensionNamed(extension);
    this.needs.add('extension');
    return `((${struct} *)extension(${type}))->${slot}`;
  }

  /** The arguments of a function; undefined if no header of the table has them, as for those of a profiler. */
  argsOf(name: string): StructLayout | undefined {
    if (!isExtensionFunction(name)) return this.abi.argsOf(name);
    return extensionFunctions().get(name)?.args();
  }

  returnsNothing(name: string): boolean {
    if (!isExtensionFunction(name)) return this.abi.returnType(name) === 'void';
    const { extension, slot } = extensionFunction(name);
    return extensionNamed(extension).slots.find((one) => one.name === slot)?.returns === 'void';
  }
}
