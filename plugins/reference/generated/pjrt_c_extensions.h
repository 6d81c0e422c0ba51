/* PJRT extensions as of 2026-10-26, written by tools/abi/header.ts from the layout table. Do not edit. */
#ifndef PJRT_C_EXTENSIONS_H_
#define PJRT_C_EXTENSIONS_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PJRT_INT {
  PJRT_DeviceEvent_State_Unavailable = 0,
  PJRT_DeviceEvent_State_Ready = 1,
  PJRT_DeviceEvent_State_Error = 2
} PJRT_DeviceEvent_State;

typedef enum PJRT_INT {
  PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1
} PJRT_FFI_Handler_TraitsBits;

typedef enum PJRT_INT {
  PJRT_Callback_Type_Unknown = 0,
  PJRT_Callback_Type_Tpu_SliceBuilder = 1,
  PJRT_Callback_Type_Prefatal = 2
} PJRT_Callback_Type;

typedef enum PJRT_INT {
  SLICE_FAILURE_UNKNOWN = 0,
  SLICE_FAILURE_INIT_ERROR = 1,
  SLICE_FAILURE_WORKER_UNAVAILABLE = 2,
  SLICE_FAILURE_FLAPPING_TASK_ERROR = 3,
  SLICE_FAILURE_SW_INJECT_ERROR = 4,
  SLICE_FAILURE_CHIP_DRIVER_ERROR = 5
} PJRT_Callback_Tpu_SliceFailureType;

typedef enum PJRT_INT {
  PJRT_COLLECTIVES_REDUCTION_SUM = 0,
  PJRT_COLLECTIVES_REDUCTION_PRODUCT = 1,
  PJRT_COLLECTIVES_REDUCTION_MIN = 2,
  PJRT_COLLECTIVES_REDUCTION_MAX = 3
} PJRT_Collectives_ReductionKind;

typedef enum PJRT_INT {
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_MODULE = 0,
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_REPLICA = 1
} PJRT_Collectives_CollectiveOpKind;

typedef enum PJRT_INT {
  PJRT_XlaTransform_PipelineStage_kPreScheduler = 0,
  PJRT_XlaTransform_PipelineStage_kPostScheduler = 1
} PJRT_XlaTransform_PipelineStage;

/* Opaque: only pointers to these cross the interface. */
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Collectives PJRT_Collectives;
typedef struct PJRT_Collectives_Communicator PJRT_Collectives_Communicator;
typedef struct PJRT_Collectives_Communicators PJRT_Collectives_Communicators;
typedef struct PJRT_Collectives_ToString_Holder PJRT_Collectives_ToString_Holder;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_DeviceDescription_MemoryDescriptions PJRT_DeviceDescription_MemoryDescriptions;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_ExampleExtensionCpp PJRT_ExampleExtensionCpp;
typedef struct PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_ExecutableAbiVersion PJRT_ExecutableAbiVersion;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_MemoryLayout_Destroy PJRT_Layouts_MemoryLayout_Destroy;
typedef struct PJRT_Layouts_MemoryLayout_Serialize PJRT_Layouts_MemoryLayout_Serialize;
typedef struct PJRT_Layouts_PJRT_Buffer_MemoryLayout PJRT_Layouts_PJRT_Buffer_MemoryLayout;
typedef struct PJRT_Layouts_PJRT_Client_GetDefaultLayout PJRT_Layouts_PJRT_Client_GetDefaultLayout;
typedef struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
typedef struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts PJRT_Layouts_PJRT_Executable_GetParameterLayouts;
typedef struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout PJRT_Layouts_PJRT_Topology_GetDefaultLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;
typedef struct PJRT_Megascale_ClientContext PJRT_Megascale_ClientContext;
typedef struct PJRT_Megascale_ErrorAggregator PJRT_Megascale_ErrorAggregator;
typedef struct PJRT_Megascale_ErrorDigest PJRT_Megascale_ErrorDigest;
typedef struct PJRT_Megascale_SerializedAddresses PJRT_Megascale_SerializedAddresses;
typedef struct PJRT_Megascale_SerializedError PJRT_Megascale_SerializedError;
typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;
typedef struct PJRT_MemoryDescription_Kind PJRT_MemoryDescription_Kind;
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;
typedef struct PJRT_MultiSlice_NumDevicesPerSlice PJRT_MultiSlice_NumDevicesPerSlice;
typedef struct PJRT_MultiSlice_SerializedConfig PJRT_MultiSlice_SerializedConfig;
typedef struct PJRT_PhaseCompiler PJRT_PhaseCompiler;
typedef struct PJRT_RawBuffer_CopyRawDeviceToHost PJRT_RawBuffer_CopyRawDeviceToHost;
typedef struct PJRT_RawBuffer_CopyRawHostToDevice PJRT_RawBuffer_CopyRawHostToDevice;
typedef struct PJRT_RawBuffer_CreateRawAliasOfBuffer PJRT_RawBuffer_CreateRawAliasOfBuffer;
typedef struct PJRT_RawBuffer_Destroy PJRT_RawBuffer_Destroy;
typedef struct PJRT_RawBuffer_GetHostPointer PJRT_RawBuffer_GetHostPointer;
typedef struct PJRT_RawBuffer_GetMemorySpace PJRT_RawBuffer_GetMemorySpace;
typedef struct PJRT_RawBuffer_GetOnDeviceSizeInBytes PJRT_RawBuffer_GetOnDeviceSizeInBytes;
typedef struct PJRT_RuntimeAbiVersion PJRT_RuntimeAbiVersion;
typedef struct PJRT_SerializedProto PJRT_SerializedProto;
typedef struct PJRT_Shardings_PJRT_Executable_OutputShardings PJRT_Shardings_PJRT_Executable_OutputShardings;
typedef struct PJRT_Shardings_PJRT_Executable_ParameterShardings PJRT_Shardings_PJRT_Executable_ParameterShardings;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_TpuExecutable_CompilationEnvironments PJRT_TpuExecutable_CompilationEnvironments;
typedef struct PJRT_TpuExecutable_CompiledMemoryStats PJRT_TpuExecutable_CompiledMemoryStats;
typedef struct PJRT_TpuExecutable_CostAnalysisResult PJRT_TpuExecutable_CostAnalysisResult;
typedef struct PJRT_TpuExecutable_FieldValue PJRT_TpuExecutable_FieldValue;
typedef struct PJRT_TpuExecutable_HloModuleWithConfig PJRT_TpuExecutable_HloModuleWithConfig;
typedef struct PJRT_TpuExecutable_TargetArguments PJRT_TpuExecutable_TargetArguments;
typedef struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice;
typedef struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers;
typedef struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args;
typedef struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers PJRT_Transfers_PJRT_Client_CrossHostSendBuffers;
typedef struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args;
typedef struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers;
typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_ConsumeResult PLUGIN_Profiler_ConsumeResult;
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;

typedef struct PJRT_DeviceEvent_FunctionTable PJRT_DeviceEvent_FunctionTable;
typedef struct PJRT_DeviceEvent PJRT_DeviceEvent;
typedef struct PJRT_DeviceEventVector PJRT_DeviceEventVector;
typedef struct PJRT_DeviceEventPromise_FunctionTable PJRT_DeviceEventPromise_FunctionTable;
typedef struct PJRT_DeviceEventPromise PJRT_DeviceEventPromise;
typedef struct PLUGIN_Profiler_Error_Destroy_Args PLUGIN_Profiler_Error_Destroy_Args;
typedef struct PLUGIN_Profiler_Error_Message_Args PLUGIN_Profiler_Error_Message_Args;
typedef struct PLUGIN_Profiler_Error_GetCode_Args PLUGIN_Profiler_Error_GetCode_Args;
typedef struct PLUGIN_Profiler_Create_Args PLUGIN_Profiler_Create_Args;
typedef struct PLUGIN_Profiler_Destroy_Args PLUGIN_Profiler_Destroy_Args;
typedef struct PLUGIN_Profiler_Start_Args PLUGIN_Profiler_Start_Args;
typedef struct PLUGIN_Profiler_Stop_Args PLUGIN_Profiler_Stop_Args;
typedef struct PLUGIN_Profiler_CollectData_Args PLUGIN_Profiler_CollectData_Args;
typedef struct PLUGIN_Profiler_Consume_Args PLUGIN_Profiler_Consume_Args;
typedef struct PLUGIN_Profiler_ConsumeResult_Destroy_Args PLUGIN_Profiler_ConsumeResult_Destroy_Args;
typedef struct PLUGIN_Profiler_Serialize_Args PLUGIN_Profiler_Serialize_Args;
typedef struct PLUGIN_Profiler_Api PLUGIN_Profiler_Api;
typedef struct PJRT_Gpu_Register_Custom_Call_Args PJRT_Gpu_Register_Custom_Call_Args;
typedef struct PJRT_Gpu_Custom_Call PJRT_Gpu_Custom_Call;
typedef struct PJRT_Profiler_Extension PJRT_Profiler_Extension;
typedef struct JAX_CustomCallPartitioner_string JAX_CustomCallPartitioner_string;
typedef struct JAX_CustomCallPartitioner_aval JAX_CustomCallPartitioner_aval;
typedef struct JAX_CustomCallPartitioner_version_and_error JAX_CustomCallPartitioner_version_and_error;
typedef struct JAX_CustomCallPartitioner_Partition_Args JAX_CustomCallPartitioner_Partition_Args;
typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args JAX_CustomCallPartitioner_InferShardingFromOperands_Args;
typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args JAX_CustomCallPartitioner_PropagateUserSharding_Args;
typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;
typedef struct PJRT_Register_Custom_Partitioner_Args PJRT_Register_Custom_Partitioner_Args;
typedef struct PJRT_Register_Batch_Partitionable_Args PJRT_Register_Batch_Partitionable_Args;
typedef struct PJRT_Custom_Partitioner_Extension PJRT_Custom_Partitioner_Extension;
typedef struct PJRT_Get_Stream_For_External_Ready_Events_Args PJRT_Get_Stream_For_External_Ready_Events_Args;
typedef struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args PJRT_Wait_Until_Buffer_Ready_On_Stream_Args;
typedef struct PJRT_Stream_Extension PJRT_Stream_Extension;
typedef struct PJRT_Layouts_MemoryLayout_Destroy_Args PJRT_Layouts_MemoryLayout_Destroy_Args;
typedef struct PJRT_Layouts_MemoryLayout_Serialize_Args PJRT_Layouts_MemoryLayout_Serialize_Args;
typedef struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args;
typedef struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args;
typedef struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args;
typedef struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args;
typedef struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args;
typedef struct PJRT_Layouts_Extension PJRT_Layouts_Extension;
typedef struct PJRT_FFI_Type_Info PJRT_FFI_Type_Info;
typedef struct PJRT_FFI_Type_Register_Args PJRT_FFI_Type_Register_Args;
typedef struct PJRT_FFI_UserData PJRT_FFI_UserData;
typedef struct PJRT_FFI_UserData_Add_Args PJRT_FFI_UserData_Add_Args;
typedef struct PJRT_FFI_Register_Handler_Args PJRT_FFI_Register_Handler_Args;
typedef struct PJRT_FFI_Extension PJRT_FFI_Extension;
typedef struct PJRT_DeviceDescription_MemoryDescriptions_Args PJRT_DeviceDescription_MemoryDescriptions_Args;
typedef struct PJRT_MemoryDescription_Kind_Args PJRT_MemoryDescription_Kind_Args;
typedef struct PJRT_MemoryDescriptions_Extension PJRT_MemoryDescriptions_Extension;
typedef struct PJRT_Triton_Compile_Args PJRT_Triton_Compile_Args;
typedef struct PJRT_Triton_Extension PJRT_Triton_Extension;
typedef struct PJRT_RawBuffer_FunctionTable PJRT_RawBuffer_FunctionTable;
typedef struct PJRT_RawBuffer PJRT_RawBuffer;
typedef struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args PJRT_RawBuffer_CreateRawAliasOfBuffer_Args;
typedef struct PJRT_RawBuffer_Destroy_Args PJRT_RawBuffer_Destroy_Args;
typedef struct PJRT_RawBuffer_GetHostPointer_Args PJRT_RawBuffer_GetHostPointer_Args;
typedef struct PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args;
typedef struct PJRT_RawBuffer_GetMemorySpace_Args PJRT_RawBuffer_GetMemorySpace_Args;
typedef struct PJRT_RawBuffer_CopyRawDeviceToHost_Args PJRT_RawBuffer_CopyRawDeviceToHost_Args;
typedef struct PJRT_RawBuffer_CopyRawHostToDevice_Args PJRT_RawBuffer_CopyRawHostToDevice_Args;
typedef struct PJRT_RawBuffer_Extension PJRT_RawBuffer_Extension;
typedef struct PJRT_PhaseCompile_Get_Compiler_Args PJRT_PhaseCompile_Get_Compiler_Args;
typedef struct PJRT_PhaseCompile_Destroy_Compiler_Args PJRT_PhaseCompile_Destroy_Compiler_Args;
typedef struct PJRT_PhaseCompile_Run_Phase_Args PJRT_PhaseCompile_Run_Phase_Args;
typedef struct PJRT_PhaseCompile_Get_PhaseNames_Args PJRT_PhaseCompile_Get_PhaseNames_Args;
typedef struct PJRT_PhaseCompile_C_Buffers_Destroy_Args PJRT_PhaseCompile_C_Buffers_Destroy_Args;
typedef struct PJRT_PhaseCompile_Extension PJRT_PhaseCompile_Extension;
typedef struct PJRT_Example_Extension PJRT_Example_Extension;
typedef struct PJRT_ExampleExtension_ExampleMethod_Args PJRT_ExampleExtension_ExampleMethod_Args;
typedef struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args PJRT_ExampleExtension_CreateExampleExtensionCpp_Args;
typedef struct PJRT_Transfers_CrossHostRecvNotifierInfo PJRT_Transfers_CrossHostRecvNotifierInfo;
typedef struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args;
typedef struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo PJRT_Transfers_CrossHostRemoteSendCallbackInfo;
typedef struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args;
typedef struct PJRT_CrossHostTransfers_Extension PJRT_CrossHostTransfers_Extension;
typedef struct PJRT_ExecutableMetadata PJRT_ExecutableMetadata;
typedef struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args PJRT_ExecutableMetadata_GetExecutableMetadata_Args;
typedef struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args PJRT_ExecutableMetadata_DestroySerializedMetadata_Args;
typedef struct PJRT_ExecutableMetadata_Extension PJRT_ExecutableMetadata_Extension;
typedef struct PJRT_Callback_Tpu_SliceBuilderArgs PJRT_Callback_Tpu_SliceBuilderArgs;
typedef struct PJRT_Callback_PrefatalArgs PJRT_Callback_PrefatalArgs;
typedef struct PJRT_Callback_RegisterCallback_Args PJRT_Callback_RegisterCallback_Args;
typedef struct PJRT_Callback_InvokeCallback_Args PJRT_Callback_InvokeCallback_Args;
typedef struct PJRT_Callback_Extension PJRT_Callback_Extension;
typedef struct PJRT_TpuTopology_Subslice_Args PJRT_TpuTopology_Subslice_Args;
typedef struct PJRT_TpuTopology_IsSubsliceTopology_Args PJRT_TpuTopology_IsSubsliceTopology_Args;
typedef struct PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args;
typedef struct PJRT_TpuTopology_ReplaceHostBounds_Args PJRT_TpuTopology_ReplaceHostBounds_Args;
typedef struct PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args;
typedef struct PJRT_TpuTopology_HasLimitedIciConnectivity_Args PJRT_TpuTopology_HasLimitedIciConnectivity_Args;
typedef struct PJRT_TpuTopology_IsReachableOverLimitedIci_Args PJRT_TpuTopology_IsReachableOverLimitedIci_Args;
typedef struct PJRT_TpuTopology_ProcessCount_Args PJRT_TpuTopology_ProcessCount_Args;
typedef struct PJRT_TpuTopology_ChipsPerProcess_Args PJRT_TpuTopology_ChipsPerProcess_Args;
typedef struct PJRT_TpuTopology_CoreCountPerChip_Args PJRT_TpuTopology_CoreCountPerChip_Args;
typedef struct PJRT_TpuTopology_ChipCount_Args PJRT_TpuTopology_ChipCount_Args;
typedef struct PJRT_TpuTopology_CoreCount_Args PJRT_TpuTopology_CoreCount_Args;
typedef struct PJRT_TpuTopology_LogiDeviceCount_Args PJRT_TpuTopology_LogiDeviceCount_Args;
typedef struct PJRT_TpuTopology_LogiDeviceCountPerProcess_Args PJRT_TpuTopology_LogiDeviceCountPerProcess_Args;
typedef struct PJRT_TpuTopology_LogiDeviceCountPerChip_Args PJRT_TpuTopology_LogiDeviceCountPerChip_Args;
typedef struct PJRT_TpuTopology_CoreCountPerProcess_Args PJRT_TpuTopology_CoreCountPerProcess_Args;
typedef struct PJRT_TpuTopology_ProcessIds_Args PJRT_TpuTopology_ProcessIds_Args;
typedef struct PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args;
typedef struct PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args;
typedef struct PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args;
typedef struct PJRT_TpuTopology_ProcessCoordFromId_Args PJRT_TpuTopology_ProcessCoordFromId_Args;
typedef struct PJRT_TpuTopology_ChipIdFromCoord_Args PJRT_TpuTopology_ChipIdFromCoord_Args;
typedef struct PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args;
typedef struct PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args;
typedef struct PJRT_TpuTopology_ChipsPerProcessBounds_Args PJRT_TpuTopology_ChipsPerProcessBounds_Args;
typedef struct PJRT_TpuTopology_ChipBounds_Args PJRT_TpuTopology_ChipBounds_Args;
typedef struct PJRT_TpuTopology_ProcessBounds_Args PJRT_TpuTopology_ProcessBounds_Args;
typedef struct PJRT_TpuTopology_GetRoutingStrategy_Args PJRT_TpuTopology_GetRoutingStrategy_Args;
typedef struct PJRT_TpuTopology_SliceConfig PJRT_TpuTopology_SliceConfig;
typedef struct PJRT_TpuTopology_GetSliceConfig_Args PJRT_TpuTopology_GetSliceConfig_Args;
typedef struct PJRT_TpuTopology_GetSliceConfigs_Args PJRT_TpuTopology_GetSliceConfigs_Args;
typedef struct PJRT_TpuTopology_GetDefaultPlatformConfig_Args PJRT_TpuTopology_GetDefaultPlatformConfig_Args;
typedef struct PJRT_TpuTopology_Extension PJRT_TpuTopology_Extension;
typedef struct PJRT_TpuExecutable_GetTargetArguments_Args PJRT_TpuExecutable_GetTargetArguments_Args;
typedef struct PJRT_TpuExecutable_GetHloModuleWithConfig_Args PJRT_TpuExecutable_GetHloModuleWithConfig_Args;
typedef struct PJRT_TpuExecutable_RunHloCostAnalysis_Args PJRT_TpuExecutable_RunHloCostAnalysis_Args;
typedef struct PJRT_TpuExecutable_GetCompiledMemoryStats_Args PJRT_TpuExecutable_GetCompiledMemoryStats_Args;
typedef struct PJRT_TpuExecutable_SetTpuCompilationEnv_Args PJRT_TpuExecutable_SetTpuCompilationEnv_Args;
typedef struct PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args;
typedef struct PJRT_TpuExecutable_IsTpuPredeterminedError_Args PJRT_TpuExecutable_IsTpuPredeterminedError_Args;
typedef struct PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args;
typedef struct PJRT_TpuExecutable_Extension PJRT_TpuExecutable_Extension;
typedef struct PJRT_Megascale_CreateClientContextFromPjRtClient_Args PJRT_Megascale_CreateClientContextFromPjRtClient_Args;
typedef struct PJRT_Megascale_CreateDefaultClientContext_Args PJRT_Megascale_CreateDefaultClientContext_Args;
typedef struct PJRT_Megascale_DeleteClientContext_Args PJRT_Megascale_DeleteClientContext_Args;
typedef struct PJRT_Megascale_CreateAoTConfig_Args PJRT_Megascale_CreateAoTConfig_Args;
typedef struct PJRT_Megascale_CreateMultiSliceConfig_Args PJRT_Megascale_CreateMultiSliceConfig_Args;
typedef struct PJRT_Megascale_ClientContext_Initialize_Args PJRT_Megascale_ClientContext_Initialize_Args;
typedef struct PJRT_Megascale_ClientContext_UnblockPendingWork_Args PJRT_Megascale_ClientContext_UnblockPendingWork_Args;
typedef struct PJRT_Megascale_ClientContext_MegascalePort_Args PJRT_Megascale_ClientContext_MegascalePort_Args;
typedef struct PJRT_Megascale_ProcessesInfo PJRT_Megascale_ProcessesInfo;
typedef struct PJRT_Megascale_CreateMegascaleCollectives_Args PJRT_Megascale_CreateMegascaleCollectives_Args;
typedef struct PJRT_Megascale_DeviceId_To_MegascaleId_Args PJRT_Megascale_DeviceId_To_MegascaleId_Args;
typedef struct PJRT_Megascale_MegascaleId_To_DeviceId_Args PJRT_Megascale_MegascaleId_To_DeviceId_Args;
typedef struct PJRT_Megascale_RegisterErrorHandler_Args PJRT_Megascale_RegisterErrorHandler_Args;
typedef struct PJRT_Megascale_UnregisterErrorHandler_Args PJRT_Megascale_UnregisterErrorHandler_Args;
typedef struct PJRT_Megascale_ErrorAggregator_Create_Args PJRT_Megascale_ErrorAggregator_Create_Args;
typedef struct PJRT_Megascale_ErrorAggregator_Delete_Args PJRT_Megascale_ErrorAggregator_Delete_Args;
typedef struct PJRT_Megascale_ErrorDigest_Delete_Args PJRT_Megascale_ErrorDigest_Delete_Args;
typedef struct PJRT_Megascale_ErrorAggregator_AddError_Args PJRT_Megascale_ErrorAggregator_AddError_Args;
typedef struct PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args;
typedef struct PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args;
typedef struct PJRT_Megascale_ErrorAggregator_Size_Args PJRT_Megascale_ErrorAggregator_Size_Args;
typedef struct PJRT_Megascale_ErrorAggregator_Active_Args PJRT_Megascale_ErrorAggregator_Active_Args;
typedef struct PJRT_Megascale_GetInterfaceAddressesHelper_Args PJRT_Megascale_GetInterfaceAddressesHelper_Args;
typedef struct PJRT_Megascale_GetOrCreateRuntimeError_Args PJRT_Megascale_GetOrCreateRuntimeError_Args;
typedef struct PJRT_Megascale_Extension PJRT_Megascale_Extension;
typedef struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args PJRT_Shardings_PJRT_Executable_ParameterShardings_Args;
typedef struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args PJRT_Shardings_PJRT_Executable_OutputShardings_Args;
typedef struct PJRT_Shardings_Extension PJRT_Shardings_Extension;
typedef struct PJRT_Client_RuntimeAbiVersion_Args PJRT_Client_RuntimeAbiVersion_Args;
typedef struct PJRT_Executable_GetAbiVersion_Args PJRT_Executable_GetAbiVersion_Args;
typedef struct PJRT_RuntimeAbiVersion_Destroy_Args PJRT_RuntimeAbiVersion_Destroy_Args;
typedef struct PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args;
typedef struct PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args;
typedef struct PJRT_RuntimeAbiVersion_ToProto_Args PJRT_RuntimeAbiVersion_ToProto_Args;
typedef struct PJRT_RuntimeAbiVersion_PlatformId_Args PJRT_RuntimeAbiVersion_PlatformId_Args;
typedef struct PJRT_ExecutableAbiVersion_Destroy_Args PJRT_ExecutableAbiVersion_Destroy_Args;
typedef struct PJRT_ExecutableAbiVersion_ToProto_Args PJRT_ExecutableAbiVersion_ToProto_Args;
typedef struct PJRT_ExecutableAbiVersion_PlatformId_Args PJRT_ExecutableAbiVersion_PlatformId_Args;
typedef struct PJRT_RuntimeAbiVersion_FromProto_Args PJRT_RuntimeAbiVersion_FromProto_Args;
typedef struct PJRT_ExecutableAbiVersion_FromProto_Args PJRT_ExecutableAbiVersion_FromProto_Args;
typedef struct PJRT_AbiVersion_Extension PJRT_AbiVersion_Extension;
typedef struct PJRT_Collectives_Destroy_Args PJRT_Collectives_Destroy_Args;
typedef struct PJRT_Collectives_CreateCommunicators_Args PJRT_Collectives_CreateCommunicators_Args;
typedef struct PJRT_Collectives_Communicator_Destroy_Args PJRT_Collectives_Communicator_Destroy_Args;
typedef struct PJRT_Collectives_CpuExecutor PJRT_Collectives_CpuExecutor;
typedef struct PJRT_Collectives_Communicator_AllReduce_Args PJRT_Collectives_Communicator_AllReduce_Args;
typedef struct PJRT_Collectives_Communicator_ReduceScatter_Args PJRT_Collectives_Communicator_ReduceScatter_Args;
typedef struct PJRT_Collectives_Communicator_AllGather_Args PJRT_Collectives_Communicator_AllGather_Args;
typedef struct PJRT_Collectives_Communicator_CollectivePermute_Args PJRT_Collectives_Communicator_CollectivePermute_Args;
typedef struct PJRT_Collectives_Communicator_AllToAll_Args PJRT_Collectives_Communicator_AllToAll_Args;
typedef struct PJRT_Collectives_Communicator_ToString_Args PJRT_Collectives_Communicator_ToString_Args;
typedef struct PJRT_Collectives_Extension PJRT_Collectives_Extension;
typedef struct PJRT_MultiSlice_Config_Destroy_Args PJRT_MultiSlice_Config_Destroy_Args;
typedef struct PJRT_MultiSlice_Config_NumSlices_Args PJRT_MultiSlice_Config_NumSlices_Args;
typedef struct PJRT_MultiSlice_Config_SliceId_Args PJRT_MultiSlice_Config_SliceId_Args;
typedef struct PJRT_MultiSlice_Config_NumDevicesPerSlice_Args PJRT_MultiSlice_Config_NumDevicesPerSlice_Args;
typedef struct PJRT_MultiSlice_Config_Serialize_Args PJRT_MultiSlice_Config_Serialize_Args;
typedef struct PJRT_MultiSlice_Extension PJRT_MultiSlice_Extension;
typedef struct PJRT_HostMemoryAllocator_Allocate_Args PJRT_HostMemoryAllocator_Allocate_Args;
typedef struct PJRT_HostMemoryAllocator_Extension PJRT_HostMemoryAllocator_Extension;
typedef struct PJRT_XlaTransform_string PJRT_XlaTransform_string;
typedef struct PJRT_XlaTransform_version_and_error PJRT_XlaTransform_version_and_error;
typedef struct PJRT_XlaTransform_Args PJRT_XlaTransform_Args;
typedef struct PJRT_XlaTransform_Callbacks PJRT_XlaTransform_Callbacks;
typedef struct PJRT_Register_Xla_Transform_Args PJRT_Register_Xla_Transform_Args;
typedef struct PJRT_Clear_Xla_Transform_Args PJRT_Clear_Xla_Transform_Args;
typedef struct PJRT_HloPassPipelineTrace PJRT_HloPassPipelineTrace;
typedef struct PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args;
typedef struct PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args;
typedef struct PJRT_Xla_Transform_Extension PJRT_Xla_Transform_Extension;

typedef void (*PJRT_DeviceEvent_AndThen)(void* user_arg);
typedef void (*PJRT_Transfers_CrossHostOnCanceledCallback)(PJRT_Error* error, void* user_arg);
typedef void (*PJRT_Transfers_CrossHostSendCancelNotifier)(const char* serialized_descriptor, size_t serialized_descriptor_size, PJRT_Error_Code reason, const char* error_message, size_t error_message_size, PJRT_Transfers_CrossHostOnCanceledCallback on_canceled, void* on_canceled_user_arg, void* user_arg);
typedef void (*PJRT_Transfers_CrossHostRecvNotifier)(PJRT_Error* error, const char** serialized_descriptors, size_t* descriptors_sizes, size_t num_descriptors, void* user_arg, PJRT_Transfers_CrossHostSendCancelNotifier cancel_notifier, void* cancel_notifier_user_arg);
typedef void (*PJRT_Transfers_CrossHostRemoteSendCallback)(PJRT_Error* error, bool sends_were_enqueued, void* user_arg);
typedef void (*PJRT_Transfers_DescriptorDestructor)(char** descriptor_data, size_t* descriptor_size);
typedef PJRT_Error* (*PJRT_ExecutableMetadata_GetExecutableMetadata)(PJRT_ExecutableMetadata_GetExecutableMetadata_Args* args);
typedef void (*PJRT_ExecutableMetadata_DestroySerializedMetadata)(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args* args);
typedef void (*PJRT_Megascale_ErrorHandler)(const char* serialized_error, size_t serialized_error_size, void* user_data);
typedef PJRT_Error* (*PJRT_HostMemoryAllocator_Allocate)(PJRT_HostMemoryAllocator_Allocate_Args* args);
typedef PJRT_Error* (*PJRT_Register_Xla_Transform_Fn)(PJRT_Register_Xla_Transform_Args* args);
typedef PJRT_Error* (*PJRT_Clear_Xla_Transform_Fn)(PJRT_Clear_Xla_Transform_Args* args);
typedef PJRT_Error* (*PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn)(PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args* args);
typedef void (*PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn)(PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args* args);

struct PJRT_DeviceEvent_FunctionTable {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  void (*inc_ref)(void* device_event);
  void (*dec_ref)(void* device_event);
  void (*and_then)(void* device_event, PJRT_DeviceEvent_AndThen callback, void* user_arg);
  int (*get_error_if_present)(void* device_event, PJRT_Error_Code* code, const char** message, size_t* message_size);
  const struct PJRT_DeviceEvent_FunctionTable* parent;
  PJRT_DeviceEvent_State (*get_state)(void* device_event);
  intptr_t (*get_definition_stream)(void* device_event, uint64_t* sequence_number);
};
#define PJRT_DeviceEvent_FunctionTable_STRUCT_SIZE ((size_t)72)

struct PJRT_DeviceEvent {
  const struct PJRT_DeviceEvent_FunctionTable* vtable;
  void* device_event;
};

struct PJRT_DeviceEventVector {
  PJRT_DeviceEvent* data;
  size_t size;
  size_t capacity;
  void (*destroy)(PJRT_DeviceEvent* data);
};

struct PJRT_DeviceEventPromise_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  void (*inc_ref)(PJRT_DeviceEventPromise* promise);
  void (*dec_ref)(PJRT_DeviceEventPromise* promise);
  PJRT_DeviceEvent (*event)(PJRT_DeviceEventPromise* promise);
  void (*set)(PJRT_DeviceEventPromise* promise, PJRT_DeviceEvent event);
  void (*set_error)(PJRT_DeviceEventPromise* promise, PJRT_Error* error);
  void (*set_ready)(PJRT_DeviceEventPromise* promise);
};
#define PJRT_DeviceEventPromise_FunctionTable_STRUCT_SIZE ((size_t)72)

struct PJRT_DeviceEventPromise {
  const struct PJRT_DeviceEventPromise_FunctionTable* vtable;
};
#define PJRT_DeviceEventPromise_STRUCT_SIZE ((size_t)8)

struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
};
#define PLUGIN_Profiler_Error_Destroy_Args_STRUCT_SIZE ((size_t)24)

struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  void* priv;
  const PLUGIN_Profiler_Error* error;
  const char* message; /* out */
  size_t message_size; /* out */
};
#define PLUGIN_Profiler_Error_Message_Args_STRUCT_SIZE ((size_t)40)

struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  void* priv;
  const PLUGIN_Profiler_Error* error;
  int code; /* out */
};
#define PLUGIN_Profiler_Error_GetCode_Args_STRUCT_SIZE ((size_t)28)

struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  const char* options;
  size_t options_size;
  PLUGIN_Profiler* profiler; /* out */
};
#define PLUGIN_Profiler_Create_Args_STRUCT_SIZE ((size_t)32)

struct PLUGIN_Profiler_Destroy_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
#define PLUGIN_Profiler_Destroy_Args_STRUCT_SIZE ((size_t)16)

struct PLUGIN_Profiler_Start_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
#define PLUGIN_Profiler_Start_Args_STRUCT_SIZE ((size_t)16)

struct PLUGIN_Profiler_Stop_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
#define PLUGIN_Profiler_Stop_Args_STRUCT_SIZE ((size_t)16)

struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  uint8_t* buffer; /* in/out */
  size_t buffer_size_in_bytes; /* out */
};
#define PLUGIN_Profiler_CollectData_Args_STRUCT_SIZE ((size_t)32)

struct PLUGIN_Profiler_Consume_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  PLUGIN_Profiler_ConsumeResult* result; /* out */
};
#define PLUGIN_Profiler_Consume_Args_STRUCT_SIZE ((size_t)24)

struct PLUGIN_Profiler_ConsumeResult_Destroy_Args {
  size_t struct_size;
  PLUGIN_Profiler_ConsumeResult* consume_result;
};
#define PLUGIN_Profiler_ConsumeResult_Destroy_Args_STRUCT_SIZE ((size_t)16)

struct PLUGIN_Profiler_Serialize_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  PLUGIN_Profiler_ConsumeResult* consume_result;
  const uint8_t* serialized_bytes; /* out */
  size_t serialized_size; /* out */
};
#define PLUGIN_Profiler_Serialize_Args_STRUCT_SIZE ((size_t)40)

struct PLUGIN_Profiler_Api {
  size_t struct_size;
  void* priv;
  void (*error_destroy)(PLUGIN_Profiler_Error_Destroy_Args* args);
  void (*error_message)(PLUGIN_Profiler_Error_Message_Args* args);
  PLUGIN_Profiler_Error* (*error_get_code)(PLUGIN_Profiler_Error_GetCode_Args* args);
  PLUGIN_Profiler_Error* (*create)(PLUGIN_Profiler_Create_Args* args);
  PLUGIN_Profiler_Error* (*destroy)(PLUGIN_Profiler_Destroy_Args* args);
  PLUGIN_Profiler_Error* (*start)(PLUGIN_Profiler_Start_Args* args);
  PLUGIN_Profiler_Error* (*stop)(PLUGIN_Profiler_Stop_Args* args);
  PLUGIN_Profiler_Error* (*collect_data)(PLUGIN_Profiler_CollectData_Args* args);
  PLUGIN_Profiler_Error* (*consume)(PLUGIN_Profiler_Consume_Args* args);
  void (*consume_result_destroy)(PLUGIN_Profiler_ConsumeResult_Destroy_Args* args);
  PLUGIN_Profiler_Error* (*serialize)(PLUGIN_Profiler_Serialize_Args* args);
};
#define PLUGIN_Profiler_Api_STRUCT_SIZE ((size_t)104)

struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;
  const char* function_name;
  size_t function_name_size;
  int api_version;
  void* handler_instantiate;
  void* handler_prepare;
  void* handler_initialize;
  void* handler_execute;
  uint32_t traits;
};
#define PJRT_Gpu_Register_Custom_Call_Args_STRUCT_SIZE ((size_t)68)

struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;
  PJRT_Error* (*custom_call)(PJRT_Gpu_Register_Custom_Call_Args* args);
  bool custom_call_handles_traits;
};
#define PJRT_Gpu_Custom_Call_STRUCT_SIZE ((size_t)33)

struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  PLUGIN_Profiler_Api* profiler_api;
  int64_t traceme_context_id;
};
#define PJRT_Profiler_Extension_STRUCT_SIZE ((size_t)40)

struct JAX_CustomCallPartitioner_string {
  const char* data;
  size_t size;
};

struct JAX_CustomCallPartitioner_aval {
  JAX_CustomCallPartitioner_string shape;
  bool has_sharding;
  JAX_CustomCallPartitioner_string sharding;
};

struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;
  void* data; /* out */
  void (*cleanup_fn)(void* data); /* out */
  bool has_error;
  PJRT_Error_Code code; /* out */
  JAX_CustomCallPartitioner_string error_msg; /* out */
};

struct JAX_CustomCallPartitioner_Partition_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_aval op_result;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string mlir_module;
  JAX_CustomCallPartitioner_string* args_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_Callbacks {
  int64_t version;
  void* private_data;
  void (*dtor)(struct JAX_CustomCallPartitioner_Callbacks* data);
  void (*partition)(struct JAX_CustomCallPartitioner_Callbacks* data, JAX_CustomCallPartitioner_Partition_Args* args);
  void (*infer_sharding)( struct JAX_CustomCallPartitioner_Callbacks* data, JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args);
  void (*propagate_user_sharding)( struct JAX_CustomCallPartitioner_Callbacks* data, JAX_CustomCallPartitioner_PropagateUserSharding_Args* args);
  bool can_side_effecting_have_replicated_sharding;
};

struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  JAX_CustomCallPartitioner_Callbacks* callbacks;
};
#define PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
};
#define PJRT_Register_Batch_Partitionable_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_custom_partitioner)(PJRT_Register_Custom_Partitioner_Args* args);
  PJRT_Error* (*register_batch_partitionable)(PJRT_Register_Batch_Partitionable_Args* args);
};
#define PJRT_Custom_Partitioner_Extension_STRUCT_SIZE ((size_t)40)

struct PJRT_Get_Stream_For_External_Ready_Events_Args {
  size_t struct_size;
  PJRT_Device* device;
  intptr_t stream; /* out */
};
#define PJRT_Get_Stream_For_External_Ready_Events_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args {
  size_t struct_size;
  intptr_t stream;
  PJRT_Buffer* buffer;
};
#define PJRT_Wait_Until_Buffer_Ready_On_Stream_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Stream_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*get_stream)(PJRT_Get_Stream_For_External_Ready_Events_Args* args);
  PJRT_Error* (*wait_stream)(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args);
};
#define PJRT_Stream_Extension_STRUCT_SIZE ((size_t)40)

struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
};
#define PJRT_Layouts_MemoryLayout_Destroy_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
  const char* serialized_bytes; /* out */
  size_t serialized_bytes_size; /* out */
  PJRT_Layouts_SerializedLayout* serialized_layout;
  void (*serialized_layout_deleter)( PJRT_Layouts_SerializedLayout* s_layout); /* out */
};
#define PJRT_Layouts_MemoryLayout_Serialize_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Layouts_MemoryLayout* layout; /* out */
};
#define PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout; /* out */
};
#define PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology_description;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout; /* out */
};
#define PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs; /* out */
  PJRT_Layouts_MemoryLayout** layouts; /* out */
};
#define PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters; /* out */
  PJRT_Layouts_MemoryLayout** layouts; /* out */
};
#define PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Layouts_MemoryLayout_Destroy)(PJRT_Layouts_MemoryLayout_Destroy_Args* args);
  PJRT_Error* (*PJRT_Layouts_MemoryLayout_Serialize)(PJRT_Layouts_MemoryLayout_Serialize_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Client_GetDefaultLayout)(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Buffer_MemoryLayout)(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Topology_GetDefaultLayout)(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Executable_GetOutputLayouts)(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args);
  PJRT_Error* (*PJRT_Layouts_PJRT_Executable_GetParameterLayouts)(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args);
};
#define PJRT_Layouts_Extension_STRUCT_SIZE ((size_t)80)

struct PJRT_FFI_Type_Info {
  void (*deleter)(void* object);
  void (*serialize)();
  void (*deserialize)();
};

struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id; /* in/out */
  PJRT_FFI_Type_Info* type_info;
};
#define PJRT_FFI_Type_Register_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_FFI_UserData {
  int64_t type_id;
  void* data;
};

struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  PJRT_FFI_UserData user_data;
};
#define PJRT_FFI_UserData_Add_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  PJRT_FFI_Handler_TraitsBits traits;
};
#define PJRT_FFI_Register_Handler_Args_STRUCT_SIZE ((size_t)52)

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args* args);
  PJRT_Error* (*user_data_add)(PJRT_FFI_UserData_Add_Args* args);
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
};
#define PJRT_FFI_Extension_STRUCT_SIZE ((size_t)48)

struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  const PJRT_MemoryDescription* const* memory_descriptions; /* out */
  size_t num_memory_descriptions; /* out */
  size_t default_memory_index; /* out */
};
#define PJRT_DeviceDescription_MemoryDescriptions_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_MemoryDescription* memory_description;
  const char* kind; /* out */
  size_t kind_size; /* out */
  int kind_id; /* out */
};
#define PJRT_MemoryDescription_Kind_Args_STRUCT_SIZE ((size_t)44)

struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_DeviceDescription_MemoryDescriptions)(PJRT_DeviceDescription_MemoryDescriptions_Args* args);
  PJRT_Error* (*PJRT_MemoryDescription_Kind)(PJRT_MemoryDescription_Kind_Args* args);
};
#define PJRT_MemoryDescriptions_Extension_STRUCT_SIZE ((size_t)40)

struct PJRT_Triton_Compile_Args {
  size_t struct_size;
  const char* module;
  size_t module_size;
  const char* arch_name;
  size_t arch_name_size;
  int num_warps;
  int num_ctas;
  int num_stages;
  const char* out_asm;
  size_t out_asm_size;
  int64_t out_smem_bytes;
  const char* out_path;
  size_t out_path_size;
};
#define PJRT_Triton_Compile_Args_STRUCT_SIZE ((size_t)96)

struct PJRT_Triton_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*compile)(PJRT_Triton_Compile_Args* args);
};
#define PJRT_Triton_Extension_STRUCT_SIZE ((size_t)32)

struct PJRT_RawBuffer_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  void (*inc_ref)(PJRT_RawBuffer* raw_buffer);
  void (*dec_ref)(PJRT_RawBuffer* raw_buffer);
  size_t (*get_on_device_size_in_bytes)(const PJRT_RawBuffer* raw_buffer);
  PJRT_Memory* (*get_memory_space)(const PJRT_RawBuffer* raw_buffer);
  void* (*get_host_pointer)(const PJRT_RawBuffer* raw_buffer);
  PJRT_Error* (*copy_raw_host_to_device_and_return_event)( PJRT_RawBuffer* raw_buffer, const void* src, int64_t offset, int64_t transfer_size, PJRT_DeviceEventVector* dependencies, PJRT_DeviceEvent* event);
  PJRT_Error* (*copy_raw_device_to_host_and_return_event)( PJRT_RawBuffer* raw_buffer, void* dst, int64_t offset, int64_t transfer_size, PJRT_DeviceEventVector* dependencies, PJRT_DeviceEvent* event);
  void* (*opaque_device_memory_data_pointer)(const PJRT_RawBuffer* raw_buffer);
  PJRT_Error* (*make_allocation_ready_event)( PJRT_RawBuffer* raw_buffer, PJRT_DeviceEvent* event);
  PJRT_Error* (*get_raw_buffer_async_value)( PJRT_RawBuffer* raw_buffer, PJRT_DeviceEvent* event);
  bool (*is_mutable)(const PJRT_RawBuffer* raw_buffer);
  PJRT_Error* (*slice)(PJRT_RawBuffer* raw_buffer, int64_t offset, int64_t slice_size, PJRT_RawBuffer** sliced_buffer);
  void (*schedule_copy_to)(PJRT_RawBuffer* src_buffer, PJRT_DeviceEventVector* transfer_dependency_events, PJRT_RawBuffer* dst_buffer, PJRT_DeviceEventPromise* definition_event_promise, PJRT_DeviceEventPromise* src_usage_event_promise, void (*allocation_event_callback)(PJRT_Error* status, void* user_data), void* allocation_event_user_data);
};
#define PJRT_RawBuffer_FunctionTable_STRUCT_SIZE ((size_t)128)

struct PJRT_RawBuffer {
  const PJRT_RawBuffer_FunctionTable* vtable;
};
#define PJRT_RawBuffer_STRUCT_SIZE ((size_t)8)

struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_RawBuffer* raw_buffer; /* out */
};
#define PJRT_RawBuffer_CreateRawAliasOfBuffer_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_RawBuffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
};
#define PJRT_RawBuffer_Destroy_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_RawBuffer_GetHostPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  void* host_pointer; /* out */
};
#define PJRT_RawBuffer_GetHostPointer_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  size_t on_device_size_in_bytes; /* out */
};
#define PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_RawBuffer_GetMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  PJRT_Memory* memory_space; /* out */
};
#define PJRT_RawBuffer_GetMemorySpace_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_RawBuffer_CopyRawDeviceToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  void* dst;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event; /* out */
};
#define PJRT_RawBuffer_CopyRawDeviceToHost_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_RawBuffer_CopyRawHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  const void* src;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event; /* out */
};
#define PJRT_RawBuffer_CopyRawHostToDevice_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_RawBuffer_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_RawBuffer_CreateRawAliasOfBuffer)(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_Destroy)(PJRT_RawBuffer_Destroy_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_GetOnDeviceSizeInBytes)(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_GetMemorySpace)(PJRT_RawBuffer_GetMemorySpace_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_CopyRawHostToDevice)(PJRT_RawBuffer_CopyRawHostToDevice_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_CopyRawDeviceToHost)(PJRT_RawBuffer_CopyRawDeviceToHost_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_GetHostPointer)(PJRT_RawBuffer_GetHostPointer_Args* args);
};
#define PJRT_RawBuffer_Extension_STRUCT_SIZE ((size_t)80)

struct PJRT_PhaseCompile_Get_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
};
#define PJRT_PhaseCompile_Get_Compiler_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_PhaseCompile_Destroy_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
};
#define PJRT_PhaseCompile_Destroy_Compiler_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_PhaseCompile_Run_Phase_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
  const char** input_programs;
  const size_t* input_programs_sizes;
  size_t num_input_programs;
  const char** phases_to_run;
  const size_t* phases_to_run_sizes;
  size_t num_phases_to_run;
  const char* compile_options;
  size_t compile_options_size;
  PJRT_TopologyDescription* topology;
  const char** output_programs;
  const size_t* output_programs_sizes;
  size_t num_output_programs;
};
#define PJRT_PhaseCompile_Run_Phase_Args_STRUCT_SIZE ((size_t)120)

struct PJRT_PhaseCompile_Get_PhaseNames_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
  const char** phase_names;
  const size_t* phase_names_sizes;
  size_t num_phase_names;
};
#define PJRT_PhaseCompile_Get_PhaseNames_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_PhaseCompile_C_Buffers_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char** char_buffers;
  const size_t* char_buffer_sizes;
  size_t num_char_buffers;
};
#define PJRT_PhaseCompile_C_Buffers_Destroy_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_PhaseCompile_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*phase_compile_get_compiler)(PJRT_PhaseCompile_Get_Compiler_Args* args);
  void (*phase_compile_destroy_compiler)(PJRT_PhaseCompile_Destroy_Compiler_Args* args);
  PJRT_Error* (*phase_compile_run_phases)(PJRT_PhaseCompile_Run_Phase_Args* args);
  PJRT_Error* (*phase_compile_get_phase_names)(PJRT_PhaseCompile_Get_PhaseNames_Args* args);
  void (*phase_compile_c_buffers_destroy)(PJRT_PhaseCompile_C_Buffers_Destroy_Args* args);
};
#define PJRT_PhaseCompile_Extension_STRUCT_SIZE ((size_t)64)

struct PJRT_Example_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*example_method)(PJRT_ExampleExtension_ExampleMethod_Args* args);
  PJRT_Error* (*create)( PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args);
  PJRT_Error* (*destroy)( PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args* args);
};
#define PJRT_Example_Extension_STRUCT_SIZE ((size_t)48)

struct PJRT_ExampleExtension_ExampleMethod_Args {
  PJRT_ExampleExtensionCpp* extension_cpp;
  int64_t value;
};
#define PJRT_ExampleExtension_ExampleMethod_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args {
  PJRT_ExampleExtensionCpp* extension_cpp;
};
#define PJRT_ExampleExtension_CreateExampleExtensionCpp_Args_STRUCT_SIZE ((size_t)8)

struct PJRT_Transfers_CrossHostRecvNotifierInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRecvNotifier notifier;
};
#define PJRT_Transfers_CrossHostRecvNotifierInfo_STRUCT_SIZE ((size_t)16)

struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;
  const int64_t** num_dims;
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  PJRT_Transfers_CrossHostRecvNotifierInfo notifier;
  PJRT_Buffer** buffers; /* out */
  size_t num_buffers; /* out */
  bool allow_cancel_notifier;
};
#define PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args_STRUCT_SIZE ((size_t)105)

struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRemoteSendCallback on_done;
};
#define PJRT_Transfers_CrossHostRemoteSendCallbackInfo_STRUCT_SIZE ((size_t)16)

struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Event* event;
  char** serialized_descriptor;
  size_t* serialized_descriptor_size;
  PJRT_Transfers_CrossHostRemoteSendCallbackInfo on_done;
  PJRT_Transfers_DescriptorDestructor descriptor_destructor;
};
#define PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args_STRUCT_SIZE ((size_t)72)

struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers)(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);
  void (*PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice)(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args);
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers)(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_CrossHostSendBuffers)(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);
};
#define PJRT_CrossHostTransfers_Extension_STRUCT_SIZE ((size_t)56)

struct PJRT_ExecutableMetadata {
  const char* serialized_metadata;
  size_t serialized_metadata_size;
};

struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args {
  PJRT_Executable* executable;
  PJRT_ExecutableMetadata* metadata; /* out */
};
#define PJRT_ExecutableMetadata_GetExecutableMetadata_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args {
  PJRT_ExecutableMetadata* metadata;
};
#define PJRT_ExecutableMetadata_DestroySerializedMetadata_Args_STRUCT_SIZE ((size_t)8)

struct PJRT_ExecutableMetadata_Extension {
  PJRT_Extension_Base base;
  PJRT_ExecutableMetadata_GetExecutableMetadata get_executable_metadata;
  PJRT_ExecutableMetadata_DestroySerializedMetadata destroy_serialized_metadata;
};
#define PJRT_ExecutableMetadata_Extension_STRUCT_SIZE ((size_t)40)

struct PJRT_Callback_Tpu_SliceBuilderArgs {
  size_t struct_size;
  PJRT_Callback_Tpu_SliceFailureType failure_type;
};
#define PJRT_Callback_Tpu_SliceBuilderArgs_STRUCT_SIZE ((size_t)12)

struct PJRT_Callback_PrefatalArgs {
  size_t struct_size;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
#define PJRT_Callback_PrefatalArgs_STRUCT_SIZE ((size_t)32)

struct PJRT_Callback_RegisterCallback_Args {
  size_t struct_size;
  PJRT_Client* client;
  PJRT_Callback_Type type;
  void (*callback)(void* args, void* user_arg);
  void* user_arg;
};
#define PJRT_Callback_RegisterCallback_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_Callback_InvokeCallback_Args {
  size_t struct_size;
  PJRT_Client* client;
  PJRT_Callback_Type type;
  void* args;
};
#define PJRT_Callback_InvokeCallback_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_Callback_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_callback)(PJRT_Callback_RegisterCallback_Args* args);
  PJRT_Error* (*invoke_callback)(PJRT_Callback_InvokeCallback_Args* args);
};
#define PJRT_Callback_Extension_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_Subslice_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  const int32_t* chips_per_host_bounds;
  size_t chips_per_host_bounds_num_dims;
  const int32_t* host_bounds;
  size_t host_bounds_num_dims;
  PJRT_TopologyDescription* subslice_topology; /* out */
};
#define PJRT_TpuTopology_Subslice_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_TpuTopology_IsSubsliceTopology_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  bool is_subslice_topology; /* out */
};
#define PJRT_TpuTopology_IsSubsliceTopology_Args_STRUCT_SIZE ((size_t)17)

struct PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* client_topology;
  const PJRT_TopologyDescription* subslice_topology;
  const int32_t* subslice_origin;
  size_t subslice_origin_dim_num;
  int32_t full_device_id;
  int32_t subslice_device_id; /* out */
};
#define PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_TpuTopology_ReplaceHostBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  const int32_t* host_bounds;
  size_t host_bounds_dim_num;
  PJRT_TopologyDescription* new_topology; /* out */
};
#define PJRT_TpuTopology_ReplaceHostBounds_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  bool is_enhanced_barrier_enabled; /* out */
};
#define PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args_STRUCT_SIZE ((size_t)17)

struct PJRT_TpuTopology_HasLimitedIciConnectivity_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  bool has_limited_ici_connectivity; /* out */
};
#define PJRT_TpuTopology_HasLimitedIciConnectivity_Args_STRUCT_SIZE ((size_t)17)

struct PJRT_TpuTopology_IsReachableOverLimitedIci_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t source_chip_id;
  int32_t dest_chip_id;
  bool is_reachable_over_limited_ici; /* out */
};
#define PJRT_TpuTopology_IsReachableOverLimitedIci_Args_STRUCT_SIZE ((size_t)25)

struct PJRT_TpuTopology_ProcessCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t process_count; /* out */
};
#define PJRT_TpuTopology_ProcessCount_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_ChipsPerProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t chips_per_process; /* out */
};
#define PJRT_TpuTopology_ChipsPerProcess_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_CoreCountPerChip_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t core_count_of_default_type_per_chip; /* out */
};
#define PJRT_TpuTopology_CoreCountPerChip_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_ChipCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t chip_count; /* out */
};
#define PJRT_TpuTopology_ChipCount_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_CoreCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t core_count_of_default_type; /* out */
};
#define PJRT_TpuTopology_CoreCount_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_LogiDeviceCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t logical_device_count_of_default_type; /* out */
};
#define PJRT_TpuTopology_LogiDeviceCount_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_LogiDeviceCountPerProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t logical_device_count_of_default_type_per_process; /* out */
};
#define PJRT_TpuTopology_LogiDeviceCountPerProcess_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_LogiDeviceCountPerChip_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t logical_device_count_of_default_type_per_chip; /* out */
};
#define PJRT_TpuTopology_LogiDeviceCountPerChip_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_CoreCountPerProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t core_count_of_default_type_per_process; /* out */
};
#define PJRT_TpuTopology_CoreCountPerProcess_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_TpuTopology_ProcessIds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t max_process_ids;
  int32_t* process_ids;
  size_t num_process_ids; /* out */
};
#define PJRT_TpuTopology_ProcessIds_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t process_id;
  int32_t max_logical_device_ids;
  int32_t* logical_device_of_default_type_ids;
  size_t num_logical_device_ids; /* out */
};
#define PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t chip_id;
  int32_t process_id; /* out */
  int32_t index_on_process; /* out */
};
#define PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args_STRUCT_SIZE ((size_t)28)

struct PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t device_id;
  int32_t process_id; /* out */
  int32_t index_on_process; /* out */
};
#define PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args_STRUCT_SIZE ((size_t)28)

struct PJRT_TpuTopology_ProcessCoordFromId_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t process_id;
  size_t coords_max_dims;
  int32_t* coords;
  size_t coords_num_dims; /* out */
};
#define PJRT_TpuTopology_ProcessCoordFromId_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_TpuTopology_ChipIdFromCoord_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  const int32_t* coords;
  size_t coords_num_dims;
  int32_t chip_id; /* out */
};
#define PJRT_TpuTopology_ChipIdFromCoord_Args_STRUCT_SIZE ((size_t)36)

struct PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  const int32_t* chip_coords;
  size_t chip_coords_num_dims;
  int32_t logical_device_index_on_chip;
  int32_t logical_device_of_default_type_id; /* out */
};
#define PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t device_id;
  size_t chip_coords_max_dims;
  int32_t* chip_coords;
  size_t chip_coords_num_dims; /* out */
  int32_t device_index_on_chip; /* out */
};
#define PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args_STRUCT_SIZE ((size_t)52)

struct PJRT_TpuTopology_ChipsPerProcessBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  size_t chip_per_process_bounds_max_dims;
  int32_t* chip_per_process_bounds;
  size_t chip_per_process_bounds_num_dims; /* out */
};
#define PJRT_TpuTopology_ChipsPerProcessBounds_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_ChipBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  size_t chip_bounds_max_dims;
  int32_t* chip_bounds;
  size_t chip_bounds_num_dims; /* out */
};
#define PJRT_TpuTopology_ChipBounds_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_ProcessBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  size_t process_bounds_max_dims;
  int32_t* process_bounds;
  size_t process_bounds_num_dims; /* out */
};
#define PJRT_TpuTopology_ProcessBounds_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_GetRoutingStrategy_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  char* routing_strategy;
  size_t routing_strategy_len;
};
#define PJRT_TpuTopology_GetRoutingStrategy_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_TpuTopology_SliceConfig {
  size_t dim_size;
  int32_t dimensions[4];
  bool wrap[4];
  bool twist;
};
#define PJRT_TpuTopology_SliceConfig_STRUCT_SIZE ((size_t)29)

struct PJRT_TpuTopology_GetSliceConfig_Args {
  size_t struct_size;
  const char* platform_type_name;
  size_t platform_type_name_len;
  const char* slice_name;
  size_t slice_name_len;
  PJRT_TpuTopology_SliceConfig* slice_config; /* in/out */
};
#define PJRT_TpuTopology_GetSliceConfig_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_TpuTopology_GetSliceConfigs_Args {
  size_t struct_size;
  const char* platform_type_name;
  size_t platform_type_name_len;
  PJRT_TpuTopology_SliceConfig* slice_configs;
  size_t max_slice_configs;
  size_t num_slice_configs; /* out */
};
#define PJRT_TpuTopology_GetSliceConfigs_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_TpuTopology_GetDefaultPlatformConfig_Args {
  size_t struct_size;
  const char* platform_type_name;
  size_t platform_type_name_len;
  int64_t num_chips_per_tray; /* out */
  int64_t num_trays; /* out */
};
#define PJRT_TpuTopology_GetDefaultPlatformConfig_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_TpuTopology_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*subslice)(PJRT_TpuTopology_Subslice_Args* args);
  PJRT_Error* (*is_subslice_topology)(PJRT_TpuTopology_IsSubsliceTopology_Args* args);
  PJRT_Error* (*subslice_device_id_from_full_device_id)(PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args* args);
  PJRT_Error* (*replace_host_bounds)(PJRT_TpuTopology_ReplaceHostBounds_Args* args);
  PJRT_Error* (*is_enhanced_barrier_enabled)(PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args* args);
  PJRT_Error* (*has_limited_ici_connectivity)(PJRT_TpuTopology_HasLimitedIciConnectivity_Args* args);
  PJRT_Error* (*is_reachable_over_limited_ici)(PJRT_TpuTopology_IsReachableOverLimitedIci_Args* args);
  PJRT_Error* (*process_count)(PJRT_TpuTopology_ProcessCount_Args* args);
  PJRT_Error* (*chips_per_process)(PJRT_TpuTopology_ChipsPerProcess_Args* args);
  PJRT_Error* (*core_count_per_chip)(PJRT_TpuTopology_CoreCountPerChip_Args* args);
  PJRT_Error* (*chip_count)(PJRT_TpuTopology_ChipCount_Args* args);
  PJRT_Error* (*core_count)(PJRT_TpuTopology_CoreCount_Args* args);
  PJRT_Error* (*logical_device_count_per_process)(PJRT_TpuTopology_LogiDeviceCountPerProcess_Args* args);
  PJRT_Error* (*logical_device_count)(PJRT_TpuTopology_LogiDeviceCount_Args* args);
  PJRT_Error* (*logical_device_count_per_chip)(PJRT_TpuTopology_LogiDeviceCountPerChip_Args* args);
  PJRT_Error* (*core_count_per_process)(PJRT_TpuTopology_CoreCountPerProcess_Args* args);
  PJRT_Error* (*process_ids)(PJRT_TpuTopology_ProcessIds_Args* args);
  PJRT_Error* (*logical_device_ids_on_process)(PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args* args);
  PJRT_Error* (*proc_id_and_idx_on_proc_for_chip)(PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args* args);
  PJRT_Error* (*proc_id_and_idx_on_proc_for_logi_device)(PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args* args);
  PJRT_Error* (*process_coord_from_id)(PJRT_TpuTopology_ProcessCoordFromId_Args* args);
  PJRT_Error* (*chip_id_from_coord)(PJRT_TpuTopology_ChipIdFromCoord_Args* args);
  PJRT_Error* (*logical_device_id_from_chip_coord_and_idx)(PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args* args);
  PJRT_Error* (*chip_coord_and_idx_for_logi_device)(PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args* args);
  PJRT_Error* (*chips_per_process_bounds)(PJRT_TpuTopology_ChipsPerProcessBounds_Args* args);
  PJRT_Error* (*chip_bounds)(PJRT_TpuTopology_ChipBounds_Args* args);
  PJRT_Error* (*process_bounds)(PJRT_TpuTopology_ProcessBounds_Args* args);
  PJRT_Error* (*get_routing_strategy)(PJRT_TpuTopology_GetRoutingStrategy_Args* args);
  PJRT_Error* (*get_slice_config)(PJRT_TpuTopology_GetSliceConfig_Args* args);
  PJRT_Error* (*get_slice_configs)(PJRT_TpuTopology_GetSliceConfigs_Args* args);
  PJRT_Error* (*get_default_platform_config)(PJRT_TpuTopology_GetDefaultPlatformConfig_Args* args);
};
#define PJRT_TpuTopology_Extension_STRUCT_SIZE ((size_t)272)

struct PJRT_TpuExecutable_GetTargetArguments_Args {
  size_t struct_size;
  const char* serialized_executable;
  size_t serialized_executable_size;
  const char* target_arguments; /* out */
  size_t target_arguments_size; /* out */
  PJRT_TpuExecutable_TargetArguments* target_arguments_ptr; /* out */
  void (*target_arguments_deleter)( PJRT_TpuExecutable_TargetArguments* args); /* out */
};
#define PJRT_TpuExecutable_GetTargetArguments_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_TpuExecutable_GetHloModuleWithConfig_Args {
  size_t struct_size;
  const char* serialized_executable;
  size_t serialized_executable_size;
  const char* hlo_module_with_config; /* out */
  size_t hlo_module_with_config_size; /* out */
  PJRT_TpuExecutable_HloModuleWithConfig* hlo_module_with_config_ptr; /* out */
  void (*hlo_module_with_config_deleter)( PJRT_TpuExecutable_HloModuleWithConfig* module); /* out */
};
#define PJRT_TpuExecutable_GetHloModuleWithConfig_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_TpuExecutable_RunHloCostAnalysis_Args {
  size_t struct_size;
  const char* target_arguments;
  size_t target_arguments_size;
  const char** hlo_module;
  size_t* hlo_module_size;
  size_t num_hlo_modules;
  const PJRT_NamedValue* analysis_results; /* out */
  size_t num_analysis_results; /* out */
  PJRT_TpuExecutable_CostAnalysisResult* analysis_results_ptr; /* out */
  void (*analysis_results_deleter)( PJRT_TpuExecutable_CostAnalysisResult* results); /* out */
};
#define PJRT_TpuExecutable_RunHloCostAnalysis_Args_STRUCT_SIZE ((size_t)80)

struct PJRT_TpuExecutable_GetCompiledMemoryStats_Args {
  size_t struct_size;
  const char* serialized_executable;
  size_t serialized_executable_size;
  const char* compiled_memory_stats; /* out */
  size_t compiled_memory_stats_size; /* out */
  PJRT_TpuExecutable_CompiledMemoryStats* compiled_memory_stats_ptr; /* out */
  void (*compiled_memory_stats_deleter)( PJRT_TpuExecutable_CompiledMemoryStats* stats); /* out */
};
#define PJRT_TpuExecutable_GetCompiledMemoryStats_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_TpuExecutable_SetTpuCompilationEnv_Args {
  size_t struct_size;
  const char* serialized_compilation_environments;
  size_t serialized_compilation_environments_size;
  const char* result_compilation_environments; /* out */
  size_t result_compilation_environments_size; /* out */
  PJRT_TpuExecutable_CompilationEnvironments* result_compilation_environments_ptr; /* out */
  void (*result_compilation_environments_deleter)( PJRT_TpuExecutable_CompilationEnvironments* envs); /* out */
};
#define PJRT_TpuExecutable_SetTpuCompilationEnv_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args {
  size_t struct_size;
  const char* serialized_compilation_environments;
  size_t serialized_compilation_environments_size;
  const char* field_name;
  size_t field_name_size;
  const char* field_value; /* out */
  size_t field_value_size; /* out */
  PJRT_TpuExecutable_FieldValue* field_value_ptr; /* out */
  void (*field_value_deleter)(PJRT_TpuExecutable_FieldValue* value); /* out */
};
#define PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args_STRUCT_SIZE ((size_t)72)

struct PJRT_TpuExecutable_IsTpuPredeterminedError_Args {
  size_t struct_size;
  const char* serialized_status;
  size_t serialized_status_size;
  bool is_predetermined; /* out */
};
#define PJRT_TpuExecutable_IsTpuPredeterminedError_Args_STRUCT_SIZE ((size_t)25)

struct PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args {
  size_t struct_size;
  const char* serialized_status;
  size_t serialized_status_size;
  bool is_cancellation_placeholder; /* out */
};
#define PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args_STRUCT_SIZE ((size_t)25)

struct PJRT_TpuExecutable_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*get_target_arguments)(PJRT_TpuExecutable_GetTargetArguments_Args* args);
  PJRT_Error* (*get_hlo_module_with_config)(PJRT_TpuExecutable_GetHloModuleWithConfig_Args* args);
  void* get_core_program_abi_version;
  PJRT_Error* (*get_compiled_memory_stats)(PJRT_TpuExecutable_GetCompiledMemoryStats_Args* args);
  PJRT_Error* (*run_hlo_cost_analysis)(PJRT_TpuExecutable_RunHloCostAnalysis_Args* args);
  PJRT_Error* (*set_tpu_compilation_env)(PJRT_TpuExecutable_SetTpuCompilationEnv_Args* args);
  PJRT_Error* (*get_tpu_compilation_env_field_as_string)(PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args* args);
  PJRT_Error* (*is_tpu_predetermined_error)(PJRT_TpuExecutable_IsTpuPredeterminedError_Args* args);
  PJRT_Error* (*is_tpu_cancellation_placeholder_error)(PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args* args);
};
#define PJRT_TpuExecutable_Extension_STRUCT_SIZE ((size_t)96)

struct PJRT_Megascale_CreateClientContextFromPjRtClient_Args {
  size_t struct_size;
  PJRT_Client* client;
  PJRT_Megascale_ClientContext* client_context; /* out */
};
#define PJRT_Megascale_CreateClientContextFromPjRtClient_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Megascale_CreateDefaultClientContext_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context; /* out */
};
#define PJRT_Megascale_CreateDefaultClientContext_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Megascale_DeleteClientContext_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
};
#define PJRT_Megascale_DeleteClientContext_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Megascale_CreateAoTConfig_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t num_slices;
  PJRT_MultiSlice_Config* multi_slice_config; /* out */
};
#define PJRT_Megascale_CreateAoTConfig_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_Megascale_CreateMultiSliceConfig_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  int32_t num_slices;
  int32_t local_slice_id;
  int32_t local_host_id;
  const char* endpoint_addresses;
  int32_t endpoint_addresses_size;
  const char* dcn_topology;
  int32_t dcn_topology_size;
  PJRT_Megascale_ClientContext* client_context;
  PJRT_MultiSlice_Config* multi_slice_config; /* out */
};
#define PJRT_Megascale_CreateMultiSliceConfig_Args_STRUCT_SIZE ((size_t)80)

struct PJRT_Megascale_ClientContext_Initialize_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
};
#define PJRT_Megascale_ClientContext_Initialize_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Megascale_ClientContext_UnblockPendingWork_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
  int32_t launch_id;
  int64_t expire_after_ms;
};
#define PJRT_Megascale_ClientContext_UnblockPendingWork_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_Megascale_ClientContext_MegascalePort_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
  int32_t port; /* out */
};
#define PJRT_Megascale_ClientContext_MegascalePort_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_Megascale_ProcessesInfo {
  const char** addresses;
  size_t* address_sizes;
  size_t num_addresses;
  int32_t* slice_indexes;
  size_t num_slice_indexes;
  int32_t* per_slice_indexes;
  size_t num_per_slice_indexes;
  int32_t num_devices_per_process;
};

struct PJRT_Megascale_CreateMegascaleCollectives_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
  PJRT_Megascale_ProcessesInfo* processes_info;
  const char* dcn_topology;
  size_t dcn_topology_size;
  PJRT_Collectives* collectives; /* out */
};
#define PJRT_Megascale_CreateMegascaleCollectives_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_Megascale_DeviceId_To_MegascaleId_Args {
  size_t struct_size;
  int32_t slice_id;
  int32_t per_slice_device_id;
  int64_t megascale_id; /* out */
};
#define PJRT_Megascale_DeviceId_To_MegascaleId_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Megascale_MegascaleId_To_DeviceId_Args {
  size_t struct_size;
  int64_t megascale_id;
  int32_t slice_id; /* out */
  int32_t per_slice_device_id; /* out */
};
#define PJRT_Megascale_MegascaleId_To_DeviceId_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Megascale_RegisterErrorHandler_Args {
  size_t struct_size;
  const char* handler_name;
  size_t handler_name_size;
  PJRT_Megascale_ErrorHandler handler;
  void* user_data;
};
#define PJRT_Megascale_RegisterErrorHandler_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_Megascale_UnregisterErrorHandler_Args {
  size_t struct_size;
  const char* handler_name;
  size_t handler_name_size;
};
#define PJRT_Megascale_UnregisterErrorHandler_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Megascale_ErrorAggregator_Create_Args {
  size_t struct_size;
  const char* app_type;
  size_t app_type_size;
  PJRT_Megascale_ErrorAggregator* aggregator; /* out */
};
#define PJRT_Megascale_ErrorAggregator_Create_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_Megascale_ErrorAggregator_Delete_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
};
#define PJRT_Megascale_ErrorAggregator_Delete_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Megascale_ErrorDigest_Delete_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorDigest* digest;
};
#define PJRT_Megascale_ErrorDigest_Delete_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Megascale_ErrorAggregator_AddError_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  const char* worker_id;
  size_t worker_id_size;
  const char* serialized_error;
  size_t serialized_error_size;
};
#define PJRT_Megascale_ErrorAggregator_AddError_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  PJRT_Megascale_ErrorDigest* digest; /* out */
};
#define PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  PJRT_Megascale_ErrorDigest* digest;
};
#define PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Megascale_ErrorAggregator_Size_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  size_t size; /* out */
};
#define PJRT_Megascale_ErrorAggregator_Size_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Megascale_ErrorAggregator_Active_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  bool active; /* out */
};
#define PJRT_Megascale_ErrorAggregator_Active_Args_STRUCT_SIZE ((size_t)17)

struct PJRT_Megascale_GetInterfaceAddressesHelper_Args {
  size_t struct_size;
  const char* megascale_port_name;
  size_t megascale_port_name_size;
  int32_t megascale_port;
  const char** interface_prefixes;
  const size_t* interface_prefixes_sizes;
  size_t num_interface_prefixes;
  bool use_all_interfaces;
  bool limit_to_process_numa_local_interfaces;
  const char** serialized_addresses; /* out */
  size_t* serialized_addresses_sizes; /* out */
  size_t num_addresses; /* out */
  PJRT_Megascale_SerializedAddresses* addresses; /* out */
  void (*addresses_deleter)(PJRT_Megascale_SerializedAddresses* ptr); /* out */
};
#define PJRT_Megascale_GetInterfaceAddressesHelper_Args_STRUCT_SIZE ((size_t)104)

struct PJRT_Megascale_GetOrCreateRuntimeError_Args {
  size_t struct_size;
  int32_t error_type;
  int64_t start_time_nanos;
  int32_t status_code;
  const char* status_message;
  size_t status_message_size;
  int32_t launch_id;
  bool has_unrecoverable_error_type;
  int32_t unrecoverable_error_type;
  const char* serialized_error; /* out */
  size_t serialized_error_size; /* out */
  bool is_new_error; /* out */
  PJRT_Megascale_SerializedError* error; /* out */
  void (*error_deleter)(PJRT_Megascale_SerializedError* ptr); /* out */
};
#define PJRT_Megascale_GetOrCreateRuntimeError_Args_STRUCT_SIZE ((size_t)104)

struct PJRT_Megascale_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*create_client_context_from_pjrt_client)(PJRT_Megascale_CreateClientContextFromPjRtClient_Args* args);
  PJRT_Error* (*create_default_client_context)(PJRT_Megascale_CreateDefaultClientContext_Args* args);
  PJRT_Error* (*delete_client_context)(PJRT_Megascale_DeleteClientContext_Args* args);
  PJRT_Error* (*create_aot_config)(PJRT_Megascale_CreateAoTConfig_Args* args);
  PJRT_Error* (*create_multi_slice_config)(PJRT_Megascale_CreateMultiSliceConfig_Args* args);
  void* delete_multi_slice_config;
  void* multi_slice_config_num_slices;
  void* multi_slice_config_slice_id;
  void* multi_slice_config_get_num_devices_per_slice;
  void* multi_slice_config_serialize;
  PJRT_Error* (*client_context_initialize)(PJRT_Megascale_ClientContext_Initialize_Args* args);
  PJRT_Error* (*client_context_unblock_pending_work)(PJRT_Megascale_ClientContext_UnblockPendingWork_Args* args);
  PJRT_Error* (*client_context_megascale_port)(PJRT_Megascale_ClientContext_MegascalePort_Args* args);
  PJRT_Error* (*create_megascale_collectives)(PJRT_Megascale_CreateMegascaleCollectives_Args* args);
  PJRT_Error* (*device_id_to_megascale_id)(PJRT_Megascale_DeviceId_To_MegascaleId_Args* args);
  PJRT_Error* (*megascale_id_to_device_id)(PJRT_Megascale_MegascaleId_To_DeviceId_Args* args);
  PJRT_Error* (*register_megascale_error_handler)(PJRT_Megascale_RegisterErrorHandler_Args* args);
  PJRT_Error* (*unregister_megascale_error_handler)(PJRT_Megascale_UnregisterErrorHandler_Args* args);
  PJRT_Error* (*error_aggregator_create)(PJRT_Megascale_ErrorAggregator_Create_Args* args);
  PJRT_Error* (*error_aggregator_delete)(PJRT_Megascale_ErrorAggregator_Delete_Args* args);
  PJRT_Error* (*error_digest_delete)(PJRT_Megascale_ErrorDigest_Delete_Args* args);
  PJRT_Error* (*error_aggregator_add_error)(PJRT_Megascale_ErrorAggregator_AddError_Args* args);
  PJRT_Error* (*error_aggregator_process_and_shutdown)(PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args* args);
  PJRT_Error* (*error_aggregator_log_error_digest)(PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args* args);
  PJRT_Error* (*error_aggregator_size)(PJRT_Megascale_ErrorAggregator_Size_Args* args);
  PJRT_Error* (*error_aggregator_active)(PJRT_Megascale_ErrorAggregator_Active_Args* args);
  PJRT_Error* (*get_interface_addresses_helper)(PJRT_Megascale_GetInterfaceAddressesHelper_Args* args);
  PJRT_Error* (*get_or_create_runtime_error)(PJRT_Megascale_GetOrCreateRuntimeError_Args* args);
};
#define PJRT_Megascale_Extension_STRUCT_SIZE ((size_t)248)

struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters; /* out */
  const char* const* shardings; /* out */
  const size_t* sharding_sizes; /* out */
};
#define PJRT_Shardings_PJRT_Executable_ParameterShardings_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs; /* out */
  const char* const* shardings; /* out */
  const size_t* sharding_sizes; /* out */
};
#define PJRT_Shardings_PJRT_Executable_OutputShardings_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Shardings_PJRT_Executable_ParameterShardings)(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args);
  PJRT_Error* (*PJRT_Shardings_PJRT_Executable_OutputShardings)(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args);
};
#define PJRT_Shardings_Extension_STRUCT_SIZE ((size_t)40)

struct PJRT_Client_RuntimeAbiVersion_Args {
  size_t struct_size;
  PJRT_Client* client;
  PJRT_RuntimeAbiVersion* abi_version; /* out */
};
#define PJRT_Client_RuntimeAbiVersion_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_Executable_GetAbiVersion_Args {
  size_t struct_size;
  PJRT_Executable* executable;
  PJRT_ExecutableAbiVersion* abi_version; /* out */
};
#define PJRT_Executable_GetAbiVersion_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_RuntimeAbiVersion_Destroy_Args {
  size_t struct_size;
  PJRT_RuntimeAbiVersion* abi_version;
};
#define PJRT_RuntimeAbiVersion_Destroy_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  const PJRT_RuntimeAbiVersion* other_abi_version;
};
#define PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  const PJRT_ExecutableAbiVersion* executable_abi_version;
};
#define PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_RuntimeAbiVersion_ToProto_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  const char* serialized_proto; /* out */
  size_t serialized_proto_size; /* out */
  PJRT_SerializedProto* serialized_proto_holder; /* out */
  void (*serialized_proto_deleter)(PJRT_SerializedProto* holder); /* out */
};
#define PJRT_RuntimeAbiVersion_ToProto_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_RuntimeAbiVersion_PlatformId_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  uint64_t platform_id; /* out */
};
#define PJRT_RuntimeAbiVersion_PlatformId_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_ExecutableAbiVersion_Destroy_Args {
  size_t struct_size;
  PJRT_ExecutableAbiVersion* abi_version;
};
#define PJRT_ExecutableAbiVersion_Destroy_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_ExecutableAbiVersion_ToProto_Args {
  size_t struct_size;
  const PJRT_ExecutableAbiVersion* abi_version;
  const char* serialized_proto; /* out */
  size_t serialized_proto_size; /* out */
  PJRT_SerializedProto* serialized_proto_holder; /* out */
  void (*serialized_proto_deleter)(PJRT_SerializedProto* holder); /* out */
};
#define PJRT_ExecutableAbiVersion_ToProto_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_ExecutableAbiVersion_PlatformId_Args {
  size_t struct_size;
  const PJRT_ExecutableAbiVersion* abi_version;
  uint64_t platform_id; /* out */
};
#define PJRT_ExecutableAbiVersion_PlatformId_Args_STRUCT_SIZE ((size_t)24)

struct PJRT_RuntimeAbiVersion_FromProto_Args {
  size_t struct_size;
  const char* serialized_proto;
  size_t serialized_proto_size;
  PJRT_RuntimeAbiVersion* abi_version; /* out */
};
#define PJRT_RuntimeAbiVersion_FromProto_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_ExecutableAbiVersion_FromProto_Args {
  size_t struct_size;
  const char* serialized_proto;
  size_t serialized_proto_size;
  PJRT_ExecutableAbiVersion* abi_version; /* out */
};
#define PJRT_ExecutableAbiVersion_FromProto_Args_STRUCT_SIZE ((size_t)32)

struct PJRT_AbiVersion_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*client_runtime_abi_version)(PJRT_Client_RuntimeAbiVersion_Args* args);
  PJRT_Error* (*executable_get_abi_version)(PJRT_Executable_GetAbiVersion_Args* args);
  PJRT_Error* (*runtime_abi_version_destroy)(PJRT_RuntimeAbiVersion_Destroy_Args* args);
  PJRT_Error* (*runtime_abi_version_is_compatible_with_runtime)(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args* args);
  PJRT_Error* (*runtime_abi_version_is_compatible_with_executable)(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args* args);
  PJRT_Error* (*runtime_abi_version_to_proto)(PJRT_RuntimeAbiVersion_ToProto_Args* args);
  PJRT_Error* (*runtime_abi_version_platform_id)(PJRT_RuntimeAbiVersion_PlatformId_Args* args);
  PJRT_Error* (*executable_abi_version_destroy)(PJRT_ExecutableAbiVersion_Destroy_Args* args);
  PJRT_Error* (*executable_abi_version_to_proto)(PJRT_ExecutableAbiVersion_ToProto_Args* args);
  PJRT_Error* (*executable_abi_version_platform_id)(PJRT_ExecutableAbiVersion_PlatformId_Args* args);
  PJRT_Error* (*runtime_abi_version_from_proto)(PJRT_RuntimeAbiVersion_FromProto_Args* args);
  PJRT_Error* (*executable_abi_version_from_proto)(PJRT_ExecutableAbiVersion_FromProto_Args* args);
};
#define PJRT_AbiVersion_Extension_STRUCT_SIZE ((size_t)120)

struct PJRT_Collectives_Destroy_Args {
  size_t struct_size;
  PJRT_Collectives* collectives;
};
#define PJRT_Collectives_Destroy_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Collectives_CreateCommunicators_Args {
  size_t struct_size;
  PJRT_Collectives* collectives;
  const int64_t* device_ids;
  size_t num_device_ids;
  const char** clique_ids;
  const size_t* clique_id_sizes;
  size_t num_clique_ids;
  int64_t* rank_ids;
  size_t num_device_ranks;
  PJRT_Collectives_Communicator** communicators; /* out */
  size_t num_communicators; /* out */
  PJRT_Collectives_Communicators* communicators_holder; /* out */
  void (*communicators_holder_deleter)( PJRT_Collectives_Communicators* ptr); /* out */
};
#define PJRT_Collectives_CreateCommunicators_Args_STRUCT_SIZE ((size_t)104)

struct PJRT_Collectives_Communicator_Destroy_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
};
#define PJRT_Collectives_Communicator_Destroy_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Collectives_CpuExecutor {
  int64_t run_id;
  int64_t* global_device_ids;
  size_t num_global_device_ids;
  int32_t num_local_participants;
  PJRT_Collectives_CollectiveOpKind collective_op_kind;
  int64_t op_id;
  int64_t timeout_in_ns;
};

struct PJRT_Collectives_Communicator_AllReduce_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_ReductionKind reduction_kind;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event; /* out */
};
#define PJRT_Collectives_Communicator_AllReduce_Args_STRUCT_SIZE ((size_t)88)

struct PJRT_Collectives_Communicator_ReduceScatter_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_ReductionKind reduction_kind;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event; /* out */
};
#define PJRT_Collectives_Communicator_ReduceScatter_Args_STRUCT_SIZE ((size_t)88)

struct PJRT_Collectives_Communicator_AllGather_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event; /* out */
};
#define PJRT_Collectives_Communicator_AllGather_Args_STRUCT_SIZE ((size_t)80)

struct PJRT_Collectives_Communicator_CollectivePermute_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  bool has_source_rank;
  int64_t source_rank;
  int64_t* target_ranks;
  size_t num_target_ranks;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event; /* out */
};
#define PJRT_Collectives_Communicator_CollectivePermute_Args_STRUCT_SIZE ((size_t)112)

struct PJRT_Collectives_Communicator_AllToAll_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void** send_buffers_ptrs;
  const size_t* send_buffers_sizes;
  size_t num_send_buffers;
  void** recv_buffers_ptrs;
  const size_t* recv_buffers_sizes;
  size_t num_recv_buffers;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event; /* out */
};
#define PJRT_Collectives_Communicator_AllToAll_Args_STRUCT_SIZE ((size_t)96)

struct PJRT_Collectives_Communicator_ToString_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  const char* str; /* out */
  size_t str_size; /* out */
  PJRT_Collectives_ToString_Holder* str_holder; /* out */
  void (*str_holder_deleter)(PJRT_Collectives_ToString_Holder* ptr); /* out */
};
#define PJRT_Collectives_Communicator_ToString_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_Collectives_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*collectives_destroy)(PJRT_Collectives_Destroy_Args* args);
  PJRT_Error* (*collectives_create_communicators)(PJRT_Collectives_CreateCommunicators_Args* args);
  PJRT_Error* (*communicator_destroy)(PJRT_Collectives_Communicator_Destroy_Args* args);
  PJRT_Error* (*communicator_all_reduce)(PJRT_Collectives_Communicator_AllReduce_Args* args);
  PJRT_Error* (*communicator_reduce_scatter)(PJRT_Collectives_Communicator_ReduceScatter_Args* args);
  PJRT_Error* (*communicator_all_gather)(PJRT_Collectives_Communicator_AllGather_Args* args);
  PJRT_Error* (*communicator_collective_permute)(PJRT_Collectives_Communicator_CollectivePermute_Args* args);
  PJRT_Error* (*communicator_all_to_all)(PJRT_Collectives_Communicator_AllToAll_Args* args);
  PJRT_Error* (*communicator_to_string)(PJRT_Collectives_Communicator_ToString_Args* args);
};
#define PJRT_Collectives_Extension_STRUCT_SIZE ((size_t)96)

struct PJRT_MultiSlice_Config_Destroy_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
};
#define PJRT_MultiSlice_Config_Destroy_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_MultiSlice_Config_NumSlices_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  int32_t num_slices; /* out */
};
#define PJRT_MultiSlice_Config_NumSlices_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_MultiSlice_Config_SliceId_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  int32_t slice_id; /* out */
};
#define PJRT_MultiSlice_Config_SliceId_Args_STRUCT_SIZE ((size_t)20)

struct PJRT_MultiSlice_Config_NumDevicesPerSlice_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  size_t num_devices_per_slice_map; /* out */
  const int32_t* slice_ids; /* out */
  const int32_t* num_devices; /* out */
  PJRT_MultiSlice_NumDevicesPerSlice* devices_per_slice_map; /* out */
  void (*devices_per_slice_map_deleter)( PJRT_MultiSlice_NumDevicesPerSlice* ptr); /* out */
};
#define PJRT_MultiSlice_Config_NumDevicesPerSlice_Args_STRUCT_SIZE ((size_t)56)

struct PJRT_MultiSlice_Config_Serialize_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  const char* serialized; /* out */
  size_t size; /* out */
  PJRT_MultiSlice_SerializedConfig* serialized_config; /* out */
  void (*serialized_config_deleter)( PJRT_MultiSlice_SerializedConfig* ptr); /* out */
};
#define PJRT_MultiSlice_Config_Serialize_Args_STRUCT_SIZE ((size_t)48)

struct PJRT_MultiSlice_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*config_destroy)(PJRT_MultiSlice_Config_Destroy_Args* args);
  PJRT_Error* (*config_num_slices)(PJRT_MultiSlice_Config_NumSlices_Args* args);
  PJRT_Error* (*config_slice_id)(PJRT_MultiSlice_Config_SliceId_Args* args);
  PJRT_Error* (*config_num_devices_per_slice)(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args* args);
  PJRT_Error* (*config_serialize)(PJRT_MultiSlice_Config_Serialize_Args* args);
};
#define PJRT_MultiSlice_Extension_STRUCT_SIZE ((size_t)64)

struct PJRT_HostMemoryAllocator_Allocate_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t size;
  int numa_node;
  uint8_t* ptr; /* out */
  void (*deleter)(void* ptr, void* arg); /* out */
  void* deleter_arg; /* out */
};
#define PJRT_HostMemoryAllocator_Allocate_Args_STRUCT_SIZE ((size_t)64)

struct PJRT_HostMemoryAllocator_Extension {
  PJRT_Extension_Base base;
  PJRT_HostMemoryAllocator_Allocate allocate;
};
#define PJRT_HostMemoryAllocator_Extension_STRUCT_SIZE ((size_t)32)

struct PJRT_XlaTransform_string {
  const char* data;
  size_t size;
};

struct PJRT_XlaTransform_version_and_error {
  int64_t api_version;
  void* data; /* out */
  void (*cleanup_fn)(void* data); /* out */
  bool has_error; /* out */
  PJRT_Error_Code code; /* out */
  PJRT_XlaTransform_string error_msg; /* out */
};

struct PJRT_XlaTransform_Args {
  size_t struct_size;
  PJRT_XlaTransform_version_and_error header;
  PJRT_XlaTransform_string hlo_module;
  PJRT_XlaTransform_string transformed_hlo_module;
  bool changed; /* out */
};
#define PJRT_XlaTransform_Args_STRUCT_SIZE ((size_t)89)

struct PJRT_XlaTransform_Callbacks {
  int64_t version;
  void (*dtor)(struct PJRT_XlaTransform_Callbacks* data);
  void (*transform_hlo_module)(struct PJRT_XlaTransform_Callbacks* data, PJRT_XlaTransform_Args* args);
};

struct PJRT_Register_Xla_Transform_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  PJRT_XlaTransform_PipelineStage stage;
  PJRT_XlaTransform_Callbacks* callbacks;
};
#define PJRT_Register_Xla_Transform_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_Clear_Xla_Transform_Args {
  size_t struct_size;
  PJRT_XlaTransform_PipelineStage stage;
  const char* name;
  size_t name_size;
  PJRT_XlaTransform_Callbacks* callbacks;
  bool cleared; /* out */
};
#define PJRT_Clear_Xla_Transform_Args_STRUCT_SIZE ((size_t)41)

struct PJRT_HloPassPipelineTrace {
  const char* serialized_trace;
  size_t serialized_trace_size;
};

struct PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;
  PJRT_XlaTransform_string hlo_module;
  PJRT_HloPassPipelineTrace trace;
};
#define PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args_STRUCT_SIZE ((size_t)40)

struct PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;
  PJRT_HloPassPipelineTrace* trace;
};
#define PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args_STRUCT_SIZE ((size_t)16)

struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;
  PJRT_Register_Xla_Transform_Fn register_xla_transform;
  PJRT_Clear_Xla_Transform_Fn clear_xla_transform;
  PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn get_hlo_pass_pipeline_trace;
  PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn destroy_hlo_pass_pipeline_trace;
};
#define PJRT_Xla_Transform_Extension_STRUCT_SIZE ((size_t)56)

#ifdef __cplusplus
}
#endif

#endif
