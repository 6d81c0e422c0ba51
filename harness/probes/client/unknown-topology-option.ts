import { errorOf } from '../../pjrt/errors.ts';
import { Topology } from '../../pjrt/topology.ts';
import type { Options } from '../../plugins/types.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

const OPTION = 'no_such_option_of_any_plugin';

/** The topology of the manifest can be made with its options, but not with one more that nobody knows. */
export const unknownTopologyOption: Probe = (context) => {
  const { name, options } = context.seats[0]!.setup.topology!;
  const create = (more: Options) =>
    context.scope.own(Topology.create(context.api, context.arena, name, { ...options, ...more }));
  create({}).destroy();
  if (!errorOf(() => create({ [OPTION]: { kind: 'int64', value: 1n } })))
    broken('an unknown option was accepted', 'PJRT_TopologyDescription_Create', 'TOP-CRE-002', {
      type: 'pjrt.MissingError',
    });
};
