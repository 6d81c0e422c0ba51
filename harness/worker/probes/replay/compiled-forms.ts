import { Abi } from '../../../knowledge/abi/index.ts';
import { decodeCompileOptions } from '../../../knowledge/programs/compile-options.ts';
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
    const options = from.memory('compile_options');
    const given = options && trace.bytesOf(options);
    this.#isCut ||= given !== undefined && (decodeCompileOptions(given).numPartitions ?? 1) > 1;
  }

  /** A call was refused. @throws NotSupported if it is because of the form of a program */
  refused(order: number, name: string, error: PjrtError): void {
    if (name === 'PJRT_Client_Compile') this.#demandReadable(order);
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

  #demandReadable(order: number): void {
    const version = this.#versions.get(order);
    const current = this.#replaying.context.plugin.stablehloVersion('current');
    if (version && current && compareVersions(version, current) > 0)
      throw new NotSupported(
        `the recorded framework sent StableHLO ${version.join('.')}, and the plugin reads up to ${current.join('.')}`,
      );
  }
}
