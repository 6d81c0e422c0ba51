import { generate } from '../../../knowledge/numerics/generate.ts';
import { Client, SEMANTICS } from '../../pjrt/client.ts';
import type { Handle } from '../../pjrt/handle.ts';
import type { CaseContext } from '../../steps/context.ts';
import { oneOf, probe } from '../probe.ts';
import { compileFor, doWork, upload } from '../support/client-work.ts';

const ELEMENTS = 1 << 20;
const PROGRAM = 'misc/big_add';

/** Destroys a client while what it was asked to do may still be going on; its objects were destroyed before, unawaited. */
export const destroyBusyClient = probe(
  'destroy-busy-client',
  { work: oneOf('execute', 'transfer', 'both') },
  (context, { work }) => {
    const { setup } = context.subjects[0]!;
    const client = context.scope.own(Client.create(context.api, context.arena, setup.options));
    const handles: Handle[] = [];
    if (work !== 'transfer') handles.push(...startExecution(context, client));
    if (work !== 'execute') handles.push(...startTransfer(context, client));
    for (const handle of handles.reverse()) handle.destroy();
    client.destroy();
    // Another client of the same process must not inherit anything of it.
    const next = context.scope.own(Client.create(context.api, context.arena, setup.options));
    doWork(context, next);
  },
);

const data = () => generate({ hash: { dtype: 'f32', shape: [ELEMENTS], range: 100 } });

function startExecution(context: CaseContext, client: Client): Handle[] {
  const executable = compileFor(context, client, PROGRAM);
  const x = upload(context.arena, client, data());
  const run = executable.execute(context.arena, [[x, x]], { events: true });
  return [executable, x, ...run.outputs.flat(), ...run.events];
}

function startTransfer(context: CaseContext, client: Client): Handle[] {
  const array = data();
  const host = context.arena.input(array.bytes);
  const { buffer, done } = client.bufferFromHost(context.arena, {
    data: host.address,
    type: array.dtype.enumValue,
    dims: array.shape,
    semantics: SEMANTICS['until-transfer-completes'],
    device: client.firstDevice().pointer,
  });
  return [buffer, done];
}
