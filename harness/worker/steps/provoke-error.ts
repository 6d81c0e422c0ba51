import { Client } from '../pjrt/client.ts';
import type { CaseContext } from './context.ts';
import { NotSupported, SuiteFault } from './outcome.ts';
import { callForError, type RawError } from './raw-error.ts';
import { bindNames } from './valid-objects.ts';

/** A call that must, or at least should, end in an error. */
interface Provocation {
  function: string;
  with: Readonly<Record<string, unknown>>;
  structSize?: number;
}

const program = (format: string, code: string): unknown => ({ struct: 'PJRT_Program', with: { code, format } });

/** Wrong calls, one thing wrong in each, by name. Arguments are those of `call` steps and of valid-objects.ts. */
export const PROVOCATIONS: Readonly<Record<string, Provocation>> = {
  'unknown-device': { function: 'PJRT_Client_LookupDevice', with: { client: '$client', id: -1 } },
  'unknown-hardware': {
    function: 'PJRT_Client_LookupAddressableDevice',
    with: { client: '$client', local_hardware_id: 1000000 },
  },
  'small-assignment': {
    function: 'PJRT_Client_DefaultDeviceAssignment',
    with: {
      client: '$client',
      num_replicas: 4,
      num_partitions: 2,
      default_assignment_size: 7,
      default_assignment: { room: 28 },
    },
  },
  'unknown-format': {
    function: 'PJRT_Client_Compile',
    with: { client: '$client', program: program('no such format', 'x'), compile_options: '$compile_options' },
  },
  'broken-program': {
    function: 'PJRT_Client_Compile',
    with: {
      client: '$client',
      program: program('mlir', 'module { this is wrong }'),
      compile_options: '$compile_options',
    },
  },
  'broken-options': {
    function: 'PJRT_Client_Compile',
    with: {
      client: '$client',
      program: { struct: 'PJRT_Program', with: { code: '$program', format: 'mlir' } },
      compile_options: { bytes: 'ffffffffffffffff' },
    },
  },
  'small-destination': {
    function: 'PJRT_Buffer_ToHostBuffer',
    with: { src: '$buffer', dst: { room: 23 }, dst_size: 23 },
  },
  'reference-below-zero': { function: 'PJRT_Buffer_DecreaseExternalReferenceCount', with: { buffer: '$buffer' } },
  'broken-executable': {
    function: 'PJRT_Executable_DeserializeAndLoad',
    with: { client: '$client', serialized_executable: 'this is no executable' },
  },
  'broken-topology': {
    function: 'PJRT_TopologyDescription_Deserialize',
    with: { serialized_topology: 'this is no topology' },
  },
  'unknown-topology': {
    function: 'PJRT_TopologyDescription_Create',
    with: { topology_name: 'no-such-topology:0x0' },
  },
  'small-args': { function: 'PJRT_Plugin_Attributes', with: {}, structSize: 16 },
};

/** Makes the named wrong call. @returns undefined when the plugin lets it pass */
export function provokeError(context: CaseContext, name: string): RawError | undefined {
  const provocation = PROVOCATIONS[name];
  if (!provocation) {
    throw new SuiteFault(`there is no provocation ${name}; expected one of ${Object.keys(PROVOCATIONS).join(', ')}`);
  }
  bindNames(context, provocation.with);
  return callForError(context, provocation.function, provocation.with, provocation.structSize);
}

const WITH_CLIENT = ['unknown-device', 'unknown-hardware', 'unknown-format', 'small-assignment', 'broken-program'];
const WITHOUT_CLIENT = ['small-args', 'broken-topology', 'unknown-topology'];

/** Some error. @throws NotSupported when the plugin lets every wrong call pass */
export function provokeAnyError(context: CaseContext): RawError {
  const hasClient = context.subjects[0]!.client instanceof Client && context.case.client === 'shared';
  const names = hasClient ? WITH_CLIENT : WITHOUT_CLIENT;
  const possible = names.filter((name) => context.api.has(PROVOCATIONS[name]!.function));
  for (const name of possible) {
    const error = provokeError(context, name);
    if (error) return error;
  }
  if (possible.length > 0) {
    throw new NotSupported(`no error to inspect: the plugin returns OK to every wrong call (${possible.join(', ')})`);
  }
  const functions = [...new Set(names.map((name) => PROVOCATIONS[name]!.function))];
  throw new NotSupported(`no error to inspect: the plugin offers none of ${functions.join(', ')}`);
}
