import { Abi } from '../../../knowledge/abi/index.ts';
import { decodeCompileOptions } from '../../../knowledge/programs/compile-options.ts';
import { ProgramError } from '../../../knowledge/programs/program.ts';
import {
  artifactVersion,
  compareVersions,
  type StablehloVersion,
} from '../../../knowledge/programs/stablehlo-version.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import type { PjrtError } from '../../pjrt/errors.ts';
import { answerOf, NotSupported } from '../../steps/outcome.ts';
import { bufferAt, type Replaying } from './replaying.ts';
import type { PairedObject } from './returned.ts';

/** What of the programs of a session decides whether another plugin can follow it. */
export class CompiledForms {
  readonly #replaying: Replaying;
  readonly #versions = new Map<number, StablehloVersion>();
  /** Programs that were sent as something else than portable artifacts, and whether the plugin has taken one. */
  readonly #texts = new Set<number>();
  #takesText = false;
  /** Recorded addresses of executables that a compiler has cut: loaded and not, and whether it may cut their parameters too. */
  readonly #cut = new Map<bigint, { inputs: boolean }>();
  /** Whether this compiler has cut a result in another way than the recorded one. */
  #cutsOtherwise = false;
  /** Recorded addresses of buffers whose dimensions depend on how a program was cut. */
  readonly #pieces = new Set<bigint>();

  constructor(replaying: Replaying) {
    this.#replaying = replaying;
  }

  /** A program is about to be compiled. */
  look(order: number, minor: number, from: RecordedStruct): void {
    const { trace } = this.#replaying;
    const code = from.struct('program', Abi.at(minor).struct('PJRT_Program'))?.memory('code');
    const bytes = code && trace.bytesOf(code);
    const version = bytes && artifactVersion(bytes);
    if (version) this.#versions.set(order, version);
    else this.#texts.add(order);
  }

  /** A call has succeeded. */
  took(
    { record, name }: NamedRecord,
    recorded: RecordedStruct,
    from: RecordedStruct,
    pairs: readonly PairedObject[],
  ): void {
    for (const { recorded: address } of pairs) {
      this.#pieces.delete(address);
      this.#cut.delete(address);
    }
    if (name === 'PJRT_Client_Compile') this.#compiled(record.of, recorded.word('executable'), from);
    if (name === 'PJRT_LoadedExecutable_GetExecutable') {
      const cut = this.#cut.get(recorded.word('loaded_executable'));
      if (cut) this.#cut.set(recorded.word('executable'), cut);
    }
    const comesOfPieces =
      (name === 'PJRT_LoadedExecutable_Execute' && this.#cut.has(recorded.word('executable'))) ||
      (COPIES.has(name) && this.#pieces.has(recorded.word('buffer')));
    if (!comesOfPieces) return;
    for (const { field, recorded: address } of pairs) if (field.base === 'PJRT_Buffer') this.#pieces.add(address);
  }

  #compiled(order: number, executable: bigint, from: RecordedStruct): void {
    this.#takesText ||= this.#texts.has(order);
    const options = from.memory('compile_options');
    const bytes = options && this.#replaying.trace.bytesOf(options);
    const cut = bytes && cutOf(bytes);
    if (cut) this.#cut.set(executable, cut);
  }

  /** A call was refused. @throws NotSupported if it is because of the form of a program */
  refused(order: number, name: string, error: PjrtError, from: RecordedStruct): void {
    if (name === 'PJRT_Client_Compile') this.#demandReadable(order, error);
    // Pieces of another size are refused by who expects the recorded ones.
    if (error.codeName === 'INVALID_ARGUMENT' && this.isAboutPieces(name, from))
      throw this.otherCut(`call ${order}, ${answerOf(error)}`);
  }

  /** Whether a call is about pieces of arrays, which may be others here. */
  isAboutPieces(name: string, from: RecordedStruct): boolean {
    const has = (field: string, of: { has(address: bigint): boolean }): boolean =>
      from.has(field) && of.has(from.word(field));
    if (name !== 'PJRT_LoadedExecutable_Execute')
      return has('src', this.#pieces) || has('buffer', this.#pieces) || has('executable', this.#cut);
    const given = from.words(from.word('argument_lists')).flatMap((list) => from.words(list));
    return this.#cut.get(from.word('executable'))?.inputs === true || given.some((one) => this.#pieces.has(one));
  }

  /** Whether a result has other dimensions than were recorded because it is cut in another way; if not, it is as good as any array. */
  isCutOtherwise(buffer: bigint, dims: readonly number[]): boolean {
    if (!this.#pieces.has(buffer)) return false;
    const isOther = String(bufferAt(this.#replaying, buffer).dimensions()) !== String(dims);
    this.#cutsOtherwise ||= isOther;
    if (!isOther) this.#pieces.delete(buffer);
    return isOther;
  }

  /** @throws NotSupported if a program is about to get parameters that this compiler has surely cut in another way: plugins may not survive it */
  demandParameters(order: number, from: RecordedStruct): void {
    if (this.#cutsOtherwise && this.#cut.get(from.word('executable'))?.inputs)
      throw this.otherCut(`parameters of the program that call ${order} executes`);
  }

  /** What was cut otherwise has the recorded dimensions now. */
  hasRecorded(buffer: bigint): void {
    this.#pieces.delete(buffer);
  }

  /** What a program for several partitions leaves open, each compiler cuts as it likes, and callers go by the pieces that they get. */
  otherCut = (what: string): NotSupported =>
    new NotSupported(`the compiler cuts arrays for several partitions in another way than the recorded one: ${what}`);

  #demandReadable(order: number, error: PjrtError): void {
    if (this.#texts.has(order) && !this.#takesText)
      throw new NotSupported(`the recorded program is no portable artifact, and ${answerOf(error)}`);
    const version = this.#versions.get(order);
    const current = this.#replaying.context.plugin.stablehloVersion('current');
    if (version && current && compareVersions(version, current) > 0)
      throw new NotSupported(
        `the recorded framework sent StableHLO ${version.join('.')}, and the plugin reads up to ${current.join('.')}`,
      );
  }
}

/** Copies have the dimensions of what they are made of. */
const COPIES: ReadonlySet<string> = new Set(['PJRT_Buffer_CopyToDevice', 'PJRT_Buffer_CopyToMemory']);

/** What compile options leave to the compiler; undefined if the program is not cut. Options of another format say nothing of it. */
function cutOf(options: Uint8Array): { inputs: boolean } | undefined {
  try {
    const { numPartitions, propagation } = decodeCompileOptions(options);
    return numPartitions > 1 ? { inputs: propagation.inputs.includes(true) } : undefined;
  } catch (error) {
    if (error instanceof ProgramError) return undefined;
    throw error;
  }
}
