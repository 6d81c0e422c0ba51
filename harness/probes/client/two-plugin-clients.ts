import { Client } from '../../pjrt/client.ts';
import type { Options } from '../../plugins/types.ts';
import type { CaseContext, Seat } from '../../steps/context.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, choice, doWork, errorOf } from './support.ts';

/** Clients of two plugins, made and destroyed in either order; whoever is left works on unchanged. */
export const twoPluginClients: Probe = (context, options) => {
  const order = choice(options, 'order', ['first-second', 'second-first']);
  const destroy = choice(options, 'destroy', ['none', 'first', 'second'], 'none');
  const seats =
    order === 'first-second' ? [context.seats[0]!, context.seats[1]!] : [context.seats[1]!, context.seats[0]!];
  const [early, late] = seats as [Seat, Seat];
  const first = create(context, early, early.setup.options);
  doWork(context, first);
  const before = look(first);
  if (options.failBetween === true) failToCreate(context, late);
  const second = create(context, late, late.setup.options);
  if (options.foreignOptions === true) foreignOptions(context, early, late, second);
  doWork(context, second, 5);
  doWork(context, first, 7);
  if (look(first) !== before)
    broken('a client changed when a client of another plugin was made', 'PJRT_Client_Devices', 'CLI-CRE-006', {
      detail: `before: ${before}\nafter:  ${look(first)}`,
    });
  if (destroy === 'none') return;
  const [doomed, survivor] = (destroy === 'first') === (order === 'first-second') ? [first, second] : [second, first];
  const wanted = look(survivor);
  doomed.destroy();
  doWork(context, survivor, 9);
  if (look(survivor) !== wanted)
    broken('a client changed when a client of another plugin was destroyed', 'PJRT_Client_Destroy', 'CLI-DST-002');
};

const create = (context: CaseContext, { plugin }: Seat, options: Readonly<Options>): Client =>
  context.scope.own(Client.create(plugin.api, context.arena, options));

const look = (client: Client): string =>
  `${client.platformName()}, ${client.platformVersion()}, devices ${client
    .devices()
    .map((d) => `${d.id()} ${d.description().deviceKind()}`)
    .join(', ')}`;

/** Options of one plugin must neither reach a client of the other one nor change it. */
function foreignOptions(context: CaseContext, early: Seat, late: Seat, second: Client): void {
  const before = look(second);
  const counted = Object.entries(early.setup.knownOptions ?? {}).find(([name]) => /device_count$/.test(name))?.[0];
  const extra: Options = counted === undefined ? {} : { [counted]: { kind: 'int64', value: 2n } };
  create(context, early, { ...early.setup.options, ...extra });
  const twin = create(context, late, late.setup.options);
  for (const client of [second, twin])
    if (look(client) !== before)
      broken('options of one plugin changed a client of the other', 'PJRT_Client_Create', 'CLI-CRE-002', {
        detail: `before: ${before}\nafter:  ${look(client)}`,
      });
}

/** A creation with an option that nobody knows; plugins that accept it give a client, which goes again. */
function failToCreate(context: CaseContext, { plugin, setup }: Seat): void {
  errorOf(() =>
    Client.create(plugin.api, context.arena, {
      ...setup.options,
      no_such_option_of_any_plugin: { kind: 'int64', value: 1n },
    }).destroy(),
  );
}
