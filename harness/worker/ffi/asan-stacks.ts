import koffi from 'koffi';
import { c, PAGE, STACK_BYTES } from './libc.ts';
import { readMappings } from './mappings.ts';

/**
 * Functions are called on stacks of koffi, of which AddressSanitizer knows nothing. It then does not clear what it has marked there when an
 * exception leaves the functions in between, and takes the next use of that memory for an error of the plugin. So it is told, as
 * programs with fibers do (sanitizer/common_interface_defs.h).
 */
interface AsanStacks {
  /** Before a call on another thread, whose stack may be any of those that are not in use. */
  clear(): void;
}

interface Interface {
  start(saved: BigUint64Array, bottom: bigint, bytes: number): void;
  finish(saved: bigint, bottom: BigUint64Array | null, bytes: BigUint64Array | null): void;
  unpoison(address: bigint, bytes: number): void;
}

function interfaceOf(): Interface | undefined {
  const find = (name: string, signature: string): unknown => {
    const address = process.platform === 'linux' ? c.dlsym(0n, name) : null;
    return address === null ? undefined : koffi.decode(address, koffi.proto(signature));
  };
  const start = find('__sanitizer_start_switch_fiber', 'void AsanStart(void* saved, void* bottom, size_t size)');
  if (start === undefined) return undefined;
  return {
    start: start as Interface['start'],
    finish: find(
      '__sanitizer_finish_switch_fiber',
      'void AsanFinish(void* saved, void* bottom, void* size)',
    ) as Interface['finish'],
    unpoison: find(
      '__asan_unpoison_memory_region',
      'void AsanUnpoison(void* address, size_t size)',
    ) as Interface['unpoison'],
  };
}

function stacksOf(asan: Interface | undefined): AsanStacks | undefined {
  if (!asan) return undefined;
  const getcontext = koffi.decode(c.dlsym(0n, 'getcontext')!, koffi.proto('int AsanContext(void* context)')) as (
    context: BigUint64Array,
  ) => number;
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
  return {
    clear: () => {
      for (const { start } of stacks()) asan.unpoison(start, STACK_BYTES);
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
