import { functionAt } from '../../ffi/function.ts';
import { readBytes, writeBytes } from '../../ffi/memory.ts';
import { probe } from '../probe.ts';
import { extensionOf, fail } from './support.ts';

const SIZES = [1, 4096, 1 << 20];

/** Host memory that the plugin gives can be written and read throughout, and goes back to its deleter. */
export const hostAllocatorExtension = probe('extension-host-allocator', {}, (context) => {
  const extension = extensionOf(context, 'HostMemoryAllocator');
  for (const size of SIZES) {
    const { pointer, deleter, argument } = extension.invoke(
      'allocate',
      (call) => {
        call.setWord('client', context.client.pointer);
        call.setSize('size', size);
        call.setInt('numa_node', -1);
      },
      (call) => ({ pointer: call.word('ptr'), deleter: call.word('deleter'), argument: call.word('deleter_arg') }),
    );
    // NULL is the answer of an allocator that has no more, but a byte is there.
    if (pointer === 0n && size === 1) fail(extension, 'not one byte of host memory could be allocated');
    if (pointer === 0n) continue;
    if (deleter === 0n) fail(extension, `there is no deleter for ${size} bytes`);
    const pattern = Uint8Array.from({ length: size }, (_, i) => (i * 31 + 7) & 0xff);
    writeBytes(pointer, pattern);
    if (Buffer.compare(readBytes(pointer, size), pattern) !== 0)
      fail(extension, `${size} bytes do not keep what is written`);
    context.instrument.native('HostMemoryAllocator.deleter', () =>
      functionAt(deleter, 'void PjrtAllocationDeleter(void* pointer, void* argument)')(pointer, argument),
    );
  }
});
