import type { PjrtError } from '../pjrt/errors.ts';
import type { Event } from '../pjrt/event.ts';
import type { CaseContext } from './context.ts';
import { lacksHelper, NotSupported } from './outcome.ts';
import { provokeAnyError } from './provoke-error.ts';
import { startPut } from './transfer.ts';
import { hostData, type Make, type Makers } from './valid-objects.ts';

/** Calls a function with valid arguments. */
type Run = (context: CaseContext, name: string) => { error?: PjrtError; outputs: Map<string, unknown> };

/** Objects that other valid calls create. Without them a case has no result. */
export function derivedObjects(run: Run): Makers {
  const outputOf =
    (name: string, field: string): Make =>
    (context) => {
      const { error, outputs } = run(context, name);
      if (error) throw lacksHelper(error);
      const output = outputs.get(field);
      if (output === undefined) throw new NotSupported(`needs what ${name} creates, which is NULL`);
      return output;
    };
  /** One that is kept, and one for each call. */
  const both = (name: string, make: Make): Makers => ({ [name]: make, [`fresh_${name}`]: make });
  const createdEvent = outputOf('PJRT_Event_Create', 'event');

  /** A ready event: of a buffer, or one of the caller's own where there is no client. */
  const readyEvent: Make = (context) => {
    if (context.subjects[0]!.client) return context.scope.own(startPut(context, hostData()).readyEvent());
    const event = createdEvent(context) as Event;
    context.api.invoke('PJRT_Event_Set', (call) => call.setWord('event', event.pointer));
    return event;
  };

  return {
    event: readyEvent,
    fresh_event: readyEvent,
    fresh_created_event: createdEvent,
    fresh_error: (context) => context.scope.own(provokeAnyError(context)),
    unloaded: outputOf('PJRT_Compile', 'executable'),
    serialized_executable: outputOf('PJRT_Executable_Serialize', 'serialized_bytes'),
    kind_id: (context) => {
      const ids = outputOf('PJRT_TopologyDescription_GetMemorySpaceKindIds', 'memory_space_kind_ids')(context);
      const [first] = ids as number[];
      if (first === undefined) throw new NotSupported('needs a topology with a memory');
      return first;
    },
    serialized_topology: outputOf('PJRT_TopologyDescription_Serialize', 'serialized_bytes'),
    fresh_topology: (context) => {
      const copies = context.api.has('PJRT_TopologyDescription_Deserialize') && context.subjects[0]!.client;
      return outputOf(`PJRT_TopologyDescription_${copies ? 'Deserialize' : 'Create'}`, 'topology')(context);
    },
    fresh_context: outputOf('PJRT_ExecuteContext_Create', 'context'),
    fresh_manager: outputOf('PJRT_Client_CreateBuffersForAsyncHostToDevice', 'transfer_manager'),
    fresh_tracking_event: outputOf('PJRT_Device_CreateAsyncTrackingEvent', 'event'),
    ...both('layout', outputOf('Layouts.PJRT_Layouts_PJRT_Buffer_MemoryLayout', 'layout')),
    ...both('raw', outputOf('RawBuffer.PJRT_RawBuffer_CreateRawAliasOfBuffer', 'raw_buffer')),
    ...both('runtime_version', outputOf('AbiVersion.client_runtime_abi_version', 'abi_version')),
    ...both('executable_version', outputOf('AbiVersion.executable_get_abi_version', 'abi_version')),
    runtime_proto: outputOf('AbiVersion.runtime_abi_version_to_proto', 'serialized_proto'),
    executable_proto: outputOf('AbiVersion.executable_abi_version_to_proto', 'serialized_proto'),
    fresh_metadata: outputOf('ExecutableMetadata.get_executable_metadata', 'metadata'),
    memory_description: (context) => {
      const all = outputOf(
        'MemoryDescriptions.PJRT_DeviceDescription_MemoryDescriptions',
        'memory_descriptions',
      )(context);
      const [first] = all as unknown[];
      if (first === undefined) throw new NotSupported('needs a device with a memory');
      return first;
    },
  };
}
