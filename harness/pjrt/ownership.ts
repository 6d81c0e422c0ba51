import type { Field } from '../abi/index.ts';

/**
 * Out-pointers of the C API that the caller must destroy, and how. Devices, memories and device descriptions are never owned
 * by the caller (PJRT C API header); neither is the topology of a client.
 */
const DESTROY: Readonly<Record<string, { function: string; argument: string }>> = {
  PJRT_Client: { function: 'PJRT_Client_Destroy', argument: 'client' },
  PJRT_Buffer: { function: 'PJRT_Buffer_Destroy', argument: 'buffer' },
  PJRT_Event: { function: 'PJRT_Event_Destroy', argument: 'event' },
  PJRT_Executable: { function: 'PJRT_Executable_Destroy', argument: 'executable' },
  PJRT_LoadedExecutable: { function: 'PJRT_LoadedExecutable_Destroy', argument: 'executable' },
  PJRT_TopologyDescription: { function: 'PJRT_TopologyDescription_Destroy', argument: 'topology' },
  PJRT_ExecuteContext: { function: 'PJRT_ExecuteContext_Destroy', argument: 'context' },
  PJRT_AsyncHostToDeviceTransferManager: {
    function: 'PJRT_AsyncHostToDeviceTransferManager_Destroy',
    argument: 'transfer_manager',
  },
  PJRT_AsyncTrackingEvent: { function: 'PJRT_AsyncTrackingEvent_Destroy', argument: 'event' },
};

const BORROWED: ReadonlySet<string> = new Set(['PJRT_Client_TopologyDescription.topology']);

/** How the caller destroys what an out-field holds; undefined if the plugin keeps it. */
export function destroyerOf(fn: string, field: Field): { function: string; argument: string } | undefined {
  if (!field.out || BORROWED.has(`${fn}.${field.name}`)) return undefined;
  const type = /^PJRT_\w+\*$/.exec(field.type.trim())?.[0].slice(0, -1);
  return type === undefined ? undefined : DESTROY[type];
}

/** Types that are data to be read in place, not objects behind a handle. */
const PLAIN: ReadonlySet<string> = new Set([
  'PJRT_NamedValue',
  'PJRT_Buffer_Type',
  'PJRT_LogicalDeviceIds',
  'PJRT_Program',
]);

/** Opaque type behind a pointer field, such as `PJRT_Device` for `PJRT_Device*`; undefined for anything else. */
export function handleType(field: Field): string | undefined {
  const type = /^(?:const )?(PJRT_\w+)\*$/.exec(field.type.trim())?.[1];
  return type === undefined || PLAIN.has(type) ? undefined : type;
}

/** Fields with an object whose deleter is in the same struct, and the deleter's field. */
export function deleterOf(fields: readonly Field[]): { object: string; deleter: string } | undefined {
  const deleter = fields.find((f) => f.out && f.name.endsWith('_deleter'));
  if (!deleter) return undefined;
  const type = /\(\s*(?:const )?(PJRT_\w+)\s*\*/.exec(deleter.type.replace(/^.*?\)\s*\(/, '('))?.[1];
  const object = fields.find((f) => type !== undefined && f.type.includes(`${type}*`))?.name;
  return object === undefined ? undefined : { object, deleter: deleter.name };
}
