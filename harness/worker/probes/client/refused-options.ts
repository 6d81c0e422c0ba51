import type { Options, TypedOption } from '../../../model/plugin.ts';
import { Client } from '../../pjrt/client.ts';
import { errorOf } from '../../pjrt/errors.ts';
import { Topology } from '../../pjrt/topology.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { oneOf, probe } from '../probe.ts';
import { violated } from '../support/checks.ts';

const UNKNOWN = 'no_such_option_of_any_plugin';
const WRONG: Readonly<Record<string, TypedOption>> = {
  string: { kind: 'string', value: 'two' },
  float: { kind: 'float', value: 2.5 },
  bool: { kind: 'bool', value: true },
  'int64-list': { kind: 'int64_list', value: [2n, 3n] },
};

/** Each option that the plugin is known to have, given with a value of another type, is an error. */
export const wrongOptionType = probe(
  'wrong-option-type',
  { kind: oneOf('string', 'float', 'bool', 'int64-list') },
  (context, { kind }) => {
    const value = WRONG[kind]!;
    const { setup } = context.subjects[0]!;
    const known = Object.entries(setup.knownOptions ?? {}).filter(([, k]) => k !== value.kind);
    if (known.length === 0) throw new NotSupported(`every option that the manifest knows may be a ${kind}`);
    for (const [name, right] of known) {
      const error = errorOf(() =>
        Client.create(context.api, context.arena, { ...setup.options, [name]: value }).destroy(),
      );
      if (!error) {
        violated(
          `PJRT_Client_Create accepted a ${value.kind} for ${name}, which is a ${right}`,
          'PJRT_Client_Create',
          'CLI-CRE-003',
          { type: 'pjrt.MissingError' },
        );
      }
    }
  },
);

/** The topology of the manifest can be made with its options, but not with one more that nobody knows. */
export const unknownTopologyOption = probe('unknown-topology-option', {}, (context) => {
  const { name, options } = context.subjects[0]!.setup.topology!;
  const create = (more: Options) =>
    context.scope.own(Topology.create(context.api, context.arena, name, { ...options, ...more }));
  create({}).destroy();
  if (!errorOf(() => create({ [UNKNOWN]: { kind: 'int64', value: 1n } })))
    violated('an unknown option was accepted', 'PJRT_TopologyDescription_Create', 'TOP-CRE-002', {
      type: 'pjrt.MissingError',
    });
});
