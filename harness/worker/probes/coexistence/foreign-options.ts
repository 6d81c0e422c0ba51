import type { Options } from '../../../model/plugin.ts';
import { Client } from '../../pjrt/client.ts';
import type { CaseContext, Subject } from '../../steps/context.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { doWork } from '../support/client-work.ts';

/** Options of one plugin neither reach a client of the other one nor change it. */
export const foreignOptions = probe('foreign-options', {}, (context) => {
  const [early, late] = context.subjects as [Subject, Subject];
  const first = create(context, early, early.setup.options);
  doWork(context, first);
  const before = look(first);
  const second = create(context, late, late.setup.options);
  giveOptions(context, early, late, second);
  doWork(context, second, 5);
  doWork(context, first, 7);
  if (look(first) !== before)
    violated('a client changed when a client of another plugin was made', 'PJRT_Client_Devices', 'CLI-CRE-002', {
      detail: `before: ${before}\nafter:  ${look(first)}`,
    });
});

const create = (context: CaseContext, { plugin }: Subject, options: Readonly<Options>): Client =>
  context.scope.own(Client.create(plugin.api, context.arena, options));

const look = (client: Client): string =>
  `${client.platformName()}, ${client.platformVersion()}, devices ${client
    .devices()
    .map((d) => `${d.id()} ${d.description().deviceKind()}`)
    .join(', ')}`;

function giveOptions(context: CaseContext, early: Subject, late: Subject, second: Client): void {
  const before = look(second);
  const counted = Object.entries(early.setup.knownOptions ?? {}).find(([name]) => /device_count$/.test(name))?.[0];
  const extra: Options = counted === undefined ? {} : { [counted]: { kind: 'int64', value: 2n } };
  create(context, early, { ...early.setup.options, ...extra });
  const twin = create(context, late, late.setup.options);
  for (const client of [second, twin])
    if (look(client) !== before)
      violated('options of one plugin changed a client of the other', 'PJRT_Client_Create', 'CLI-CRE-002', {
        detail: `before: ${before}\nafter:  ${look(client)}`,
      });
}
