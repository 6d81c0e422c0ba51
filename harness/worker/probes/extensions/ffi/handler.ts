import { XLA_FFI_METADATA, xlaFfiStruct } from '../../../../knowledge/abi/index.ts';
import type { HostArray } from '../../../../knowledge/numerics/array.ts';
import { callback } from '../../../ffi/function.ts';
import { readWord, writeBytes } from '../../../ffi/memory.ts';
import type { Buffer } from '../../../pjrt/buffer.ts';
import { errorOf } from '../../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../../pjrt/executable.ts';
import { StructView } from '../../../pjrt/struct-view.ts';
import { compileProgram, programBytes } from '../../../steps/compile.ts';
import { compileOptions } from '../../../steps/compile-options.ts';
import type { CaseContext } from '../../../steps/context.ts';
import { isHostLike } from '../../../steps/device-format.ts';
import { answerOf, isRefusal } from '../../../steps/outcome.ts';
import { startPut } from '../../../steps/transfer.ts';
import { violated } from '../../support/checks.ts';
import { extensionOf } from '../support.ts';
import { CallFrame, EXECUTE, RUNS, versionFor } from './call-frame.ts';

/** The target that the programs custom_call/handler… call. */
const TARGET = 'pjrt_conformance_handler';
const REGISTER = 'FFI.register_handler';
const SIGNATURE = 'void* XlaFfiHandler(void* frame)';
/** Programs of the same element types without a call: whoever refuses these says nothing about handlers. */
const PLAIN = ['misc/add_one_matrix', 'misc/add_one_s32'];

/** What a handler does in an execution. @returns an error of the frame, or nothing */
export type Body = (frame: CallFrame) => bigint | undefined;

/** Arguments of an execution. */
export interface Arguments {
  readonly buffers: readonly Buffer[];
  /** Whether handlers can address memory of the device: on accelerators addresses are not the host's. */
  readonly onHost: boolean;
}

/**
 * A handler of custom calls in JavaScript, registered as JAX does for a plugin. A plugin may call it on any thread, where it
 * waits for the event loop: so whatever may lead to a call runs on another thread. It is registered for the life of the
 * process, which is the case's own.
 */
export class Handler {
  /** Calls in the stage of execution. */
  calls = 0;
  readonly #context: CaseContext;
  readonly #body: Body;
  /** What was wrong in a call: no exception can pass through native code. */
  #failure: unknown;

  private constructor(context: CaseContext, body: Body) {
    this.#context = context;
    this.#body = body;
  }

  static async register(context: CaseContext, body: Body): Promise<Handler> {
    const { arena } = context;
    const extension = extensionOf(context, 'FFI');
    const handler = new Handler(context, body);
    const { address } = callback(SIGNATURE, ((frame: bigint) => handler.#run(frame)) as never);
    const target = arena.text(TARGET);
    const platform = arena.text(context.client.platformName());
    await extension.invokeAsync('register_handler', (call) => {
      call.setWord('target_name', target.address);
      call.setSize('target_name_size', target.length);
      call.setWord('handler', address);
      call.setWord('platform_name', platform.address);
      call.setSize('platform_name_size', platform.length);
    });
    target.bytes.fill(0x3f);
    platform.bytes.fill(0x3f);
    handler.#check();
    return handler;
  }

  /** Compiles a program that calls the handler. */
  async compile(program: string): Promise<LoadedExecutable> {
    const { arena, client, plugin, scope } = this.#context;
    const code = programBytes(plugin, { program });
    const options = compileOptions(this.#context, {}, { program });
    try {
      const executable = scope.own(await client.compileAsync(arena, code, 'mlir', options));
      this.#check();
      if (this.calls > 0) violated('a handler ran before its program was executed', 'PJRT_Client_Compile', RUNS);
      return executable;
    } catch (error) {
      throw this.#unexcused(error);
    }
  }

  put(inputs: readonly HostArray[]): Arguments {
    const buffers = inputs.map((input) => startPut(this.#context, input));
    return { buffers, onHost: buffers.every((buffer, i) => isHostLike(buffer, inputs[i]!.bytes.length)) };
  }

  /**
   * Executes, and waits on other threads until everything has ended.
   * @throws what was wrong in a call of the handler, or the PjrtError of the execution
   */
  async execute(
    executable: LoadedExecutable,
    { buffers }: Arguments,
    fill: (options: StructView) => void = () => {},
  ): Promise<Buffer[]> {
    const { arena, scope } = this.#context;
    try {
      const execution = await executable.executeAsync(arena, [buffers], { events: true, fill });
      const outputs = execution.outputs[0]!;
      for (const output of outputs) scope.own(output);
      for (const event of execution.events) scope.own(event);
      for (const event of execution.events) await event.awaitAsync();
      for (const output of outputs) await scope.own(output.readyEvent()).awaitAsync();
      this.#check();
      return outputs;
    } catch (error) {
      this.#check();
      throw error;
    }
  }

  /** The same, where no error is right. */
  async executeWell(
    executable: LoadedExecutable,
    args: Arguments,
    fill?: (options: StructView) => void,
  ): Promise<Buffer[]> {
    try {
      return await this.execute(executable, args, fill);
    } catch (error) {
      throw this.#unexcused(error);
    }
  }

  /** How often the handler must have run by now. */
  expectCalls(expected: number): void {
    if (this.calls === expected) return;
    violated(`a handler ran ${this.calls} times, expected ${expected}`, EXECUTE, RUNS);
  }

  #run(address: bigint): bigint | null {
    try {
      const frame = new CallFrame(address, this.#context.arena);
      const query = frame.extension(XLA_FFI_METADATA);
      if (query !== 0n) {
        reportVersion(query, versionFor(frame));
        return null;
      }
      if (frame.stage !== 'EXECUTE') violated(`a handler is called in the stage ${frame.stage}`, EXECUTE, RUNS);
      const small = frame.tooSmall();
      if (small.length > 0) violated(`the call frame has too small a struct_size: ${small}`, EXECUTE, RUNS);
      this.calls++;
      return this.#body(frame) ?? null;
    } catch (error) {
      this.#failure ??= error;
      return null;
    }
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** A plugin that took the handler cannot say that calls are something it does not do, unless it refuses the types. */
  #unexcused(error: unknown): unknown {
    if (!isRefusal(error)) return error;
    if (PLAIN.some((program) => isRefusal(errorOf(() => compileProgram(this.#context, program))))) return error;
    try {
      violated(`a handler was registered, but its call is refused: ${answerOf(error)}`, error.call, RUNS, {
        detail: `message: ${error.text}`,
      });
    } catch (failure) {
      return failure;
    }
  }
}

/** Writes the version of a handler into the query for its metadata. */
function reportVersion(extension: bigint, { major, minor }: { major: number; minor: number }): void {
  const layout = xlaFfiStruct('XLA_FFI_Metadata_Extension');
  const metadata = readWord(extension + BigInt(layout.field('metadata').offset));
  if (metadata === 0n) violated('a query for the metadata of a handler has no room for it', REGISTER, RUNS);
  const struct = xlaFfiStruct('XLA_FFI_Metadata');
  const { offset, size } = struct.field('api_version');
  const bytes = new Uint8Array(size);
  const version = new StructView(xlaFfiStruct('XLA_FFI_Api_Version'), new DataView(bytes.buffer));
  version.reset();
  version.setInt('major_version', major);
  version.setInt('minor_version', minor);
  writeBytes(metadata + BigInt(offset), bytes);
  // No traits.
  writeBytes(metadata + BigInt(struct.field('traits').offset), new Uint8Array(4));
}
