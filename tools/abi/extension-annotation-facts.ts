import type { AnnotationFact } from './annotation-facts.ts';

const C = 'xla/pjrt/c';

/** Annotations of the argument structs of extensions that cannot be derived (annotate.ts), as ANNOTATION_FACTS. */
export const EXTENSION_ANNOTATION_FACTS: readonly AnnotationFact[] = [
  // Objects that the caller destroys with a function of the same extension.
  {
    fields: [
      'PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args.layout',
      'PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args.layout',
      'PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args.layout',
    ],
    destroy: 'Layouts.PJRT_Layouts_MemoryLayout_Destroy',
    source: `${C}/pjrt_c_api_layouts_extension.cc makes a new layout in each call; pjrt_c_api_client.cc destroys it`,
  },
  {
    fields: ['PJRT_Client_RuntimeAbiVersion_Args.abi_version', 'PJRT_RuntimeAbiVersion_FromProto_Args.abi_version'],
    destroy: 'AbiVersion.runtime_abi_version_destroy',
    source: `${C}/pjrt_c_api_abi_version_extension.cc makes a new version in each call`,
  },
  {
    fields: ['PJRT_Executable_GetAbiVersion_Args.abi_version', 'PJRT_ExecutableAbiVersion_FromProto_Args.abi_version'],
    destroy: 'AbiVersion.executable_abi_version_destroy',
    source: `${C}/pjrt_c_api_abi_version_extension.cc makes a new version in each call`,
  },
  {
    fields: ['PJRT_RawBuffer_CreateRawAliasOfBuffer_Args.raw_buffer'],
    destroy: 'RawBuffer.PJRT_RawBuffer_Destroy',
    source: `${C}/pjrt_c_api_raw_buffer_extension.cc makes a new raw buffer in each call`,
  },
  {
    fields: ['PJRT_ExecutableMetadata_GetExecutableMetadata_Args.metadata'],
    destroy: 'ExecutableMetadata.destroy_serialized_metadata',
    source: 'xla/pjrt/extensions/executable_metadata makes new metadata in each call',
  },
  {
    fields: ['PJRT_HostMemoryAllocator_Allocate_Args.ptr', 'PJRT_HostMemoryAllocator_Allocate_Args.deleter_arg'],
    spentBy: 'deleter',
    source: 'xla/pjrt/extensions/host_memory_allocator passes both to the deleter',
  },
  // Objects that stay the plugin's.
  {
    fields: ['PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args.layouts'],
    count: 'num_outputs',
    keeper: 'executable',
    source: `${C}/pjrt_c_api_layouts_extension.cc keeps the layouts with the executable`,
  },
  {
    fields: ['PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args.layouts'],
    count: 'num_parameters',
    keeper: 'executable',
    source: `${C}/pjrt_c_api_layouts_extension.cc keeps the layouts with the executable`,
  },
  {
    fields: ['PJRT_DeviceDescription_MemoryDescriptions_Args.memory_descriptions'],
    keeper: 'device_description',
    source: `${C}/pjrt_c_api_memory_descriptions_extension.cc keeps the descriptions with the description of the device`,
  },
  {
    fields: ['PJRT_RawBuffer_GetMemorySpace_Args.memory_space'],
    keeper: 'buffer',
    source: `${C}/pjrt_c_api_raw_buffer_extension.cc returns the memory of the client`,
  },
  // Characters that are no text.
  {
    fields: [
      'PJRT_RuntimeAbiVersion_ToProto_Args.serialized_proto',
      'PJRT_ExecutableAbiVersion_ToProto_Args.serialized_proto',
      'PJRT_RuntimeAbiVersion_FromProto_Args.serialized_proto',
      'PJRT_ExecutableAbiVersion_FromProto_Args.serialized_proto',
    ],
    content: 'bytes',
    source: `${C}/pjrt_c_api_abi_version_extension.cc writes and reads protocol buffers`,
  },
];
