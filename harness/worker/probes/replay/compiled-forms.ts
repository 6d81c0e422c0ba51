import { Abi } from '../../../knowledge/abi/index.ts';
import { decodeCompileOptions } from '../../../knowledge/programs/compile-options.ts';
import { ProgramError } from '../../../knowledge/programs/program.ts';
import {
  artifactVersion,
  compareVersions,
  type StablehloVersion,
} from '../../../knowledge/programs/stablehlo-version.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import type { PjrtError } from '../../pjrt/errors.ts';
import { answerOf, NotSupported } from '../../steps/outcome.ts';
import { TAKES_PIECES } from './policy.ts';
import { bufferAt, type Replaying } from './replaying.ts';

/** What of the programs of a session decides whether another plugin can follow it. */
export class CompiledForms {
  readonly #replaying: Replaying;
  readonly #versions = new Map<number, StablehloVersion>();
  /** Programs that were sent as something else than portable artifacts, and whether the plugin has taken one. */
  readonly #texts = new Set<number>();
  #takesText = false;
  /** Whether a program was for several partitions. */
  #isCut = false;

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
    const options = from.memory('compile_options');
    const given = options && trace.bytesOf(options);
    this.#isCut ||= given !== undefined && partitionsOf(given) > 1;
  }

  /** A program was compiled. */
  compiled(order: number): void {
    this.#takesText ||= this.#texts.has(order);
  }

  /** A call was refused. @throws NotSupported if it is because of the form of a program */
  refused(order: number, name: string, error: PjrtError): void {
    if (name === 'PJRT_Client_Compile') this.#demandReadable(order, error);
    // Pieces of another size are refused by who expects the recorded ones.
    if (error.codeName === 'INVALID_ARGUMENT' && TAKES_PIECES.has(name))
      this.otherDimensions(`call ${order}, ${answerOf(error)}`);
  }

  /** @throws NotSupported if a result has other dimensions than were recorded because it is cut in another way */
  demandSameCut(buffer: bigint, dims: readonly number[], what: string): void {
    if (!this.#isCut) return;
    if (String(bufferAt(this.#replaying, buffer).dimensions()) !== String(dims)) this.otherDimensions(what);
  }

  /**
   * What a program for several partitions leaves open, each compiler cuts as it likes, and callers go by the pieces that they get.
   * @throws NotSupported if there is such a program
   */
  otherDimensions(what: string): void {
    if (!this.#isCut) return;
    throw new NotSupported(
      `the compiler cuts arrays for several partitions in another way than the recorded one: ${what}`,
    );
  }

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

/** Options of another format say nothing of partitions. */
function partitionsOf(options: Uint8Array): number {
  try {
    return decodeCompileOptions(options).numPartitions ?? 1;
  } catch (error) {
    if (error instanceof ProgramError) return 1;
    throw error;
  }
}
