import type { TypedOption } from '../../../model/plugin.ts';
import { Arena } from '../../ffi/memory.ts';
import { Client } from '../../pjrt/client.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { checkAddOne, unlessUnimplemented } from '../support/client-work.ts';

const FUNCTION = 'PJRT_Client_Create';
const SCRUB = 0xee;

/** Overwrites everything that was passed to Client_Create right after it has returned; the client must not notice. */
export const optionMemory = probe('option-memory', {}, (context) => {
  const { setup } = context.subjects[0]!;
  const options = Object.keys(setup.options).length > 0 ? setup.options : harmless(setup.knownOptions);
  const arena = new Arena();
  const named = makeNamedValues(context.api, arena, options);
  const twin = Client.create(context.api, context.arena, options);
  const wanted = describeClient(twin);
  twin.destroy();
  const pointer = context.api.invoke(
    FUNCTION,
    (call) => {
      call.setWord('create_options', named.address);
      call.setSize('num_options', named.count);
    },
    (call) => call.word('client'),
  );
  arena.scrub(SCRUB);
  const client = context.scope.own(new Client(context.api, pointer));
  const got = describeClient(client);
  if (got !== wanted)
    violated(
      'the client changed when the memory of its options was overwritten after the call',
      FUNCTION,
      'CLI-CRE-004',
      {
        detail: `before: ${wanted}\nafter:  ${got}`,
      },
    );
  unlessUnimplemented(() => checkAddOne(context, client));
});

const describeClient = (client: Client): string =>
  `${client.platformName()}, ${client.platformVersion()}, devices ${client
    .devices()
    .map((d) => d.id())
    .join(' ')}`;

/** An option whose value hurts nobody: there are plugins whose options all matter, which must be given by the user. */
function harmless(known: Readonly<Record<string, string>> = {}): Record<string, TypedOption> {
  const name = Object.keys(known).find((k) => known[k] === 'int64' && /device_count$/.test(k));
  if (name === undefined) throw new NotSupported('the plugin is created without options: give it some with --option');
  return { [name]: { kind: 'int64', value: 2n } };
}
