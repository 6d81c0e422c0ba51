import type { Block } from '../../ffi/memory.ts';
import type { Call } from '../../pjrt/call.ts';
import { LoadedExecutable } from '../../pjrt/executable.ts';
import { StructView } from '../../pjrt/struct-view.ts';
import type { CaseContext } from '../../steps/context.ts';

/** Bytes that lie behind text and options whose end the plugin should take from their length. */
const JUNK = Buffer.from('}} junk }}', 'latin1');

/** One call of PJRT_Client_Compile with every piece of its memory in the probe's hands, each followed by junk. */
export class RawCompilation {
  readonly #context: CaseContext;
  readonly #blocks: Record<'code' | 'format' | 'options', { block: Block; size: number }>;
  readonly #program: Block;

  constructor(context: CaseContext, code: Uint8Array, format: string, options: Uint8Array) {
    const { arena, api } = context;
    const followed = (bytes: Uint8Array) => ({
      block: arena.copy(Buffer.concat([bytes, JUNK])),
      size: bytes.length,
    });
    this.#context = context;
    this.#blocks = {
      code: followed(code),
      format: followed(Buffer.from(format, 'utf8')),
      options: followed(options),
    };
    const layout = api.struct('PJRT_Program');
    this.#program = arena.alloc(layout.size, 16);
    const view = new StructView(layout, this.#program.view);
    view.reset();
    view.setWord('code', this.#blocks.code.block.address);
    view.setSize('code_size', code.length);
    view.setWord('format', this.#blocks.format.block.address);
    view.setSize('format_size', this.#blocks.format.size);
  }

  /** @throws PjrtError */
  run(): LoadedExecutable {
    return this.#own(this.#context.api.invoke('PJRT_Client_Compile', this.#fill, read));
  }

  /** Compiles on another thread. @throws PjrtError */
  async runAsync(): Promise<LoadedExecutable> {
    return this.#own(await this.#context.api.invokeAsync('PJRT_Client_Compile', this.#fill, read));
  }

  /** Overwrites everything that only needs to live for the call. */
  scribble(): void {
    this.#program.bytes.fill(0xee);
    for (const { block } of Object.values(this.#blocks)) block.bytes.fill(0xee);
  }

  #fill = (call: Call): void => {
    call.setWord('client', this.#context.client.pointer);
    call.setWord('program', this.#program.address);
    call.setWord('compile_options', this.#blocks.options.block.address);
    call.setSize('compile_options_size', this.#blocks.options.size);
  };

  #own = (pointer: bigint): LoadedExecutable =>
    this.#context.scope.own(new LoadedExecutable(this.#context.api, pointer));
}

const read = (call: Call): bigint => call.word('executable');
