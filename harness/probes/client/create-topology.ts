import { PjrtError } from '../../pjrt/errors.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { Topology } from '../../pjrt/topology.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, choice, errorOf } from './support.ts';

const FUNCTION = 'PJRT_TopologyDescription_Create';

/** Makes a topology without a name, which may be refused; or with an option that nobody knows, which must be. */
export const createTopology: Probe = (context, options) => {
  const name = choice(options, 'name', ['null', 'empty', 'manifest']);
  if (name === 'manifest') return refuseOption(context, String(options.option));
  let topology: Topology;
  try {
    topology = create(context, name === 'null' ? undefined : '', {});
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    throw new NotSupported(`${FUNCTION} requires a name: ${error.codeName}: ${error.text.split('\n')[0]}`);
  }
  if (topology.platformName() === '') broken('a topology has no platform name', FUNCTION, 'TOP-NAM-001');
  if (topology.deviceDescriptions().length === 0) broken('a topology describes no device', FUNCTION, 'TOP-CRE-001');
};

function refuseOption(context: CaseContext, option: string): void {
  const { topology } = context.seats[0]!.setup;
  create(context, topology!.name, topology!.options).destroy();
  const error = errorOf(() =>
    create(context, topology!.name, { ...topology!.options, [option]: { kind: 'int64', value: 1n } }),
  );
  if (!error) broken('an unknown option was accepted', FUNCTION, 'TOP-CRE-002', { type: 'pjrt.MissingError' });
}

function create(
  context: CaseContext,
  name: string | undefined,
  options: Parameters<typeof makeNamedValues>[2],
): Topology {
  const { api, arena } = context;
  const text = name === undefined ? undefined : arena.text(name);
  const named = makeNamedValues(api, arena, options);
  const pointer = api.invoke(
    FUNCTION,
    (call) => {
      call.setWord('topology_name', text?.address ?? 0n);
      call.setSize('topology_name_size', text?.length ?? 0);
      call.setWord('create_options', named.address);
      call.setSize('num_options', named.count);
    },
    (call) => call.word('topology'),
  );
  if (pointer === 0n) broken(`${FUNCTION} succeeded, but its topology is NULL`, FUNCTION, 'TOP-CRE-001');
  return context.scope.own(new Topology(api, pointer, true));
}
