import { functionAt, type NativeFunction, pjrtFunctionAt } from './function.ts';
import { c, PAGE, STACK_BYTES } from './libc.ts';
import { readMappings } from './mappings.ts';
import { recorderLibrary } from './recorder-library.ts';

/**
 * Functions are called on stacks of koffi, of which AddressSanitizer knows nothing. It then does not clear what it has marked there when an
 * exception leaves the functions in between, and takes the next use of that memory for an error of the plugin. So it learns of them, as
 * programs with fibers do (sanitizer/common_interface_defs.h).
 */
interface AsanStacks {
  /** A callable for a function of the C API on another thread. */
  elsewhere(address: bigint): NativeFunction['async'];
}

interface Interface {
  /** Addresses of the functions. */
  at: readonly bigint[];
  start(saved: BigUint64Array, bottom: bigint, bytes: number): void;
  finish(saved: bigint, bottom: BigUint64Array | null, bytes: BigUint64Array | null): void;
}

function interfaceOf(): Interface | undefined {
  if (process.platform !== 'linux') return undefined;
  const [start, finish] = ['start', 'finish'].map((what) => c.dlsym(0n, `__sanitizer_${what}_switch_fiber`));
  if (!start || !finish) return undefined;
  return {
    at: [start, finish],
    start: functionAt(start, 'void AsanStart(void* saved, void* bottom, size_t bytes)') as Interface['start'],
    finish: functionAt(finish, 'void AsanFinish(void* saved, void* bottom, void* bytes)') as Interface['finish'],
  };
}

function stacksOf(asan: Interface | undefined): AsanStacks | undefined {
  if (!asan) return undefined;
  const getcontext = functionAt(c.dlsym(0n, 'getcontext')!, 'int AsanContext(void* context)');
  const context = new BigUint64Array(1024);
  getcontext(context);
  const own = stacks().find(({ start, end }) => context.some((word) => word > start && word <= end));
  if (own) {
    const [saved, bottom, bytes] = [new BigUint64Array(1), new BigUint64Array(1), new BigUint64Array(1)];
    asan.start(saved, own.start, STACK_BYTES);
    asan.finish(saved[0]!, bottom, bytes);
    // Leaks are looked for at the end, and what Node.js has on its own stack is none.
    process.on('exit', () => {
      asan.start(saved, bottom[0]!, Number(bytes[0]));
      asan.finish(saved[0]!, null, null);
    });
  }
  const library = recorderLibrary();
  const known = library && c.dlsym(library, 'pjrt_call_on_known_stack');
  return {
    elsewhere: (address) => {
      if (!known) return pjrtFunctionAt(address).async;
      const call = functionAt(known, 'void* AsanCall(void* call)') as unknown as {
        async(call: BigUint64Array, done: (error: unknown, result: bigint | null) => void): void;
      };
      return (args, done) => {
        const words = BigUint64Array.of(address, args, ...asan.at, BigInt(STACK_BYTES), BigInt(PAGE));
        call.async(words, (error, result) => {
          // Until now the thread has read it.
          words.fill(0n);
          done(error, result);
        });
      };
    },
  };
}

/** Stacks of koffi: memory of that size at least, as what lies above it may look like a part of it, above a page that cannot be read. */
function stacks(): { start: bigint; end: bigint }[] {
  const mappings = readMappings() ?? [];
  return mappings.flatMap(({ start, end, readable, executable, file }, i) => {
    const guard = mappings[i - 1];
    const isGuarded = guard?.end === start && !guard.readable && guard.end - guard.start === BigInt(PAGE);
    const isMemory = readable && !executable && file === '' && end - start >= BigInt(STACK_BYTES);
    return isGuarded && isMemory ? [{ start, end: start + BigInt(STACK_BYTES) }] : [];
  });
}

/** Undefined in a process without AddressSanitizer. */
export const asanStacks: AsanStacks | undefined = stacksOf(interfaceOf());
