import koffi from 'koffi';
import { Observable } from './observable.ts';

/** `PJRT_Error* f(Args*)`, the shape of nearly every function of the C API. */
export interface NativeFunction {
  (args: bigint): bigint | null;
  async(args: bigint, done: (error: unknown, result: bigint | null) => void): void;
}

const protos = new Map<string, ReturnType<typeof koffi.proto>>();

function proto(signature: string) {
  let type = protos.get(signature);
  if (!type) {
    type = koffi.proto(signature);
    protos.set(signature, type);
  }
  return type;
}

/** A callable for the function at an address. `signature` is a C prototype whose name is unique to the signature. */
export function functionAt(address: bigint, signature: string): (...args: unknown[]) => unknown {
  return koffi.decode(address, proto(signature)) as (...args: unknown[]) => unknown;
}

/** A callable for a function of the C API. */
export function pjrtFunctionAt(address: bigint): NativeFunction {
  return koffi.decode(address, proto('void* PjrtFunction(void* args)')) as NativeFunction;
}

/** JavaScript functions that native code may call from now on. */
export const callbacks = new Observable<[address: bigint, signature: string]>();

/** A JavaScript function that native code may call from any thread; it runs on the event loop of the worker. */
interface Callback {
  address: bigint;
  release(): void;
}

/**
 * Registers a callback.
 * @param signature C prototype such as `void OnReady(void* error, void* user)`; pointers arrive as bigint or null
 */
export function callback(signature: string, run: (...args: never[]) => unknown): Callback {
  const address = koffi.register(
    run as (...args: unknown[]) => unknown,
    koffi.pointer(proto(signature)),
  ) as unknown as bigint;
  callbacks.report(address, signature);
  let live = true;
  return {
    address,
    release: () => {
      if (live) koffi.unregister(address as never);
      live = false;
    },
  };
}
