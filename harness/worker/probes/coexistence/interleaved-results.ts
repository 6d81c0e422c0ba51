import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import type { Client } from '../../pjrt/client.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import type { CaseContext } from '../../steps/context.ts';
import { probe, program } from '../probe.ts';
import { made, violated } from '../support/checks.ts';
import { compileFor, download, upload } from '../support/client-work.ts';

const ROUNDS = 4;

/** Runs a program on every plugin by turns: each gives the bits that it gave before the other one ran. */
export const interleavedResults = probe('interleaved-results', { program }, (context, { program: name }) => {
  const runs = context.subjects.map(({ plugin, client }) => {
    const executable = context.scope.own(compileFor(context, client!, name));
    const run = () => outputBytes(context, client!, executable, name);
    return { plugin, run, alone: run() };
  });
  for (let i = 0; i < ROUNDS; i++) {
    for (const { plugin, run, alone } of i % 2 === 0 ? runs : [...runs].reverse()) {
      if (Buffer.compare(run(), alone) !== 0)
        violated(`${plugin.name} gives other bits for ${name} by turns than alone`, 'PJRT_LoadedExecutable_Execute');
    }
  }
});

function outputBytes(context: CaseContext, client: Client, executable: LoadedExecutable, name: string): Uint8Array {
  const { inputs, outputs } = loadProgram(name);
  const buffers = inputs.map(({ dtype, shape }, i) =>
    upload(context.arena, client, made({ hash: { dtype, shape: [...shape], seed: i + 1, range: 60 } })),
  );
  const run = executable.execute(context.arena, [buffers], { events: true });
  for (const event of run.events) {
    event.await();
    event.destroy();
  }
  const parts = run.outputs[0]!.map((buffer, i) => {
    const like: HostArray = made({ iota: { dtype: outputs[i]!.dtype, shape: [...outputs[i]!.shape] } });
    return download(context.arena, buffer, like).bytes;
  });
  for (const handle of [...buffers, ...run.outputs.flat()]) handle.destroy();
  return Buffer.concat(parts);
}
