import { scratchFile } from '../../harness/base/scratch.ts';
import { BREADCRUMB } from '../../harness/host/wire/breadcrumb-layout.ts';
import { Breadcrumb } from '../../harness/worker/ffi/breadcrumb.ts';
import { pjrtFunctionAt } from '../../harness/worker/ffi/function.ts';
import { Arena } from '../../harness/worker/ffi/memory.ts';
import { Client } from '../../harness/worker/pjrt/client.ts';
import { Instrument } from '../../harness/worker/pjrt/instrument.ts';
import { Plugin } from '../../harness/worker/pjrt/plugin.ts';
import { resolveHere } from '../resolve-here.ts';

const CALLS = 100_000;
const ROUNDS = 10;

/**
 * Best nanoseconds of a trivial call (PJRT_Client_ProcessIndex), bare and through the object model; and the milliseconds
 * that it took to load the plugin and to create a client.
 */
export async function measureCalls(spec: string): Promise<{ bareNs: number; modelNs: number; clientMs: number }> {
  const resolved = await resolveHere(spec);
  const instrument = new Instrument(new Breadcrumb(scratchFile(BREADCRUMB.fileBytes)));
  const began = performance.now();
  const plugin = Plugin.load(resolved.name, resolved.library, 'now', instrument);
  plugin.initialize();
  const client = Client.create(plugin.api, new Arena(), resolved.options);
  const clientMs = performance.now() - began;
  const bare = pjrtFunctionAt(plugin.api.demand('PJRT_Client_ProcessIndex'));
  const call = plugin.api.begin('PJRT_Client_ProcessIndex');
  call.setWord('client', client.pointer);
  const best = { bareNs: Number.POSITIVE_INFINITY, modelNs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    best.bareNs = Math.min(
      best.bareNs,
      perCall(() => bare(call.address)),
    );
    best.modelNs = Math.min(
      best.modelNs,
      perCall(() => client.processIndex()),
    );
  }
  client.destroy();
  return { ...best, clientMs };
}

function perCall(run: () => void): number {
  const began = performance.now();
  for (let i = 0; i < CALLS; i++) run();
  return ((performance.now() - began) * 1e6) / CALLS;
}
