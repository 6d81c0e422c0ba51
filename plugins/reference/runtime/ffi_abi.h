// The binary interface of XLA's typed FFI, version 0.5, for handlers of custom calls: xla/ffi/api/c_api.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reference::ffi {

constexpr int kMajor = 0;
constexpr int kMinor = 5;

struct Error;             // of this plugin; handlers create them with error_create
struct ExecutionContext;  // of this plugin; the context of a call
struct Future;            // of this plugin; a handler's asynchronous completion
struct Api;

struct ExtensionBase {
  size_t struct_size;
  int type;
  ExtensionBase* next;
};
constexpr int kMetadataExtension = 1;

struct ApiVersion {
  size_t struct_size;
  ExtensionBase* extension_start;
  int major_version;
  int minor_version;
};

struct TypeId {
  int64_t type_id;
};
constexpr int64_t kUnknownTypeId = 0;

struct TypeInfo {
  size_t struct_size;
  ExtensionBase* extension_start;
  void (*deleter)(void* object);
};

struct ByteSpan {
  const char* data;
  size_t size;
};

// The numbers of xla::PrimitiveType.
using DataType = int;

struct Scalar {
  DataType type;
  void* value;
};

struct ArrayAttribute {
  DataType type;
  size_t size;
  void* data;
};

struct Buffer {
  size_t struct_size;
  ExtensionBase* extension_start;
  DataType type;
  void* data;
  int64_t rank;
  int64_t* dims;
};
constexpr int kBuffer = 1;  // the only kind of arguments and results

enum class AttributeKind : int { kArray = 1, kDictionary = 2, kScalar = 3, kString = 4 };

// Arguments, and results in the same form.
struct Buffers {
  size_t struct_size;
  ExtensionBase* extension_start;
  int64_t size;
  int* kinds;
  void** buffers;
};

// Sorted by name.
struct Attributes {
  size_t struct_size;
  ExtensionBase* extension_start;
  int64_t size;
  AttributeKind* kinds;
  ByteSpan** names;
  void** values;
};

enum class Stage : int { kInstantiate = 0, kPrepare = 1, kInitialize = 2, kExecute = 3 };

struct CallFrame {
  size_t struct_size;
  ExtensionBase* extension_start;
  const Api* api;
  ExecutionContext* context;
  Stage stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
  Future* future;
};
// Without `future`, which was added later: handlers of any version accept this.
constexpr size_t kCallFrameSize = offsetof(CallFrame, attributes) + sizeof(Attributes);

// Null, or an error for the caller to destroy.
using Handler = Error*(CallFrame* frame);

struct Metadata {
  size_t struct_size;
  ApiVersion api_version;
  uint32_t traits;
  TypeId state_type_id;
};

// A call with this extension only queries a handler's metadata.
struct MetadataExtension {
  ExtensionBase base;
  Metadata* metadata;
};

struct ErrorCreateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  const char* message;
  int code;
};
struct ErrorMessageArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Error* error;
  const char* message;
  int code;  // missing in older callers
};
struct ErrorDestroyArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Error* error;
};
struct FutureCreateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Future* future;
};
struct FutureSetAvailableArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Future* future;
};
struct FutureSetErrorArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  Future* future;
  Error* error;
};
// Handlers of version 0.5 have a stage for recording commands too, which nothing here does.
struct HandlerBundle {
  Handler* instantiate;
  Handler* prepare;
  Handler* initialize;
  Handler* execute;
};
struct HandlerRegisterArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ByteSpan name;
  ByteSpan platform;
  HandlerBundle bundle;
  uint32_t traits;
};
struct TypeRegisterArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ByteSpan name;
  TypeId* type_id;
  const TypeInfo* type_info;
};
struct ContextGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  TypeId* type_id;
  void* data;
};
struct StateSetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  Stage stage;
  TypeId* type_id;
  void* state;
};
struct StateGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  Stage stage;
  TypeId* type_id;
  void* state;
};
struct StreamGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  void* stream;
};
struct DeviceMemoryAllocateArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  size_t size;
  size_t alignment;
  void* data;
};
struct DeviceMemoryFreeArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  size_t size;
  void* data;
};
struct ThreadPoolScheduleArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  void (*task)(void* data);
  void* data;
};
struct ThreadPoolNumThreadsArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  int64_t* num_threads;
};
struct RunIdGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  int64_t run_id;
};
struct DeviceOrdinalGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  int32_t device_ordinal;
};
struct FindExtensionArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  int64_t extension_type;
  const void* extension;
};
struct CustomOptionsGetArgs {
  size_t struct_size;
  ExtensionBase* extension_start;
  ExecutionContext* context;
  const Attributes* attributes;
};

struct Api {
  size_t struct_size;
  ExtensionBase* extension_start;
  ApiVersion version;
  const void* internal_api;
  Error* (*error_create)(ErrorCreateArgs* args);
  void (*error_message)(ErrorMessageArgs* args);
  void (*error_destroy)(ErrorDestroyArgs* args);
  Error* (*handler_register)(HandlerRegisterArgs* args);
  Error* (*stream_get)(StreamGetArgs* args);
  Error* (*type_register)(TypeRegisterArgs* args);
  Error* (*context_get)(ContextGetArgs* args);
  Error* (*state_set)(StateSetArgs* args);
  Error* (*state_get)(StateGetArgs* args);
  Error* (*device_memory_allocate)(DeviceMemoryAllocateArgs* args);
  Error* (*device_memory_free)(DeviceMemoryFreeArgs* args);
  Error* (*thread_pool_schedule)(ThreadPoolScheduleArgs* args);
  Error* (*thread_pool_num_threads)(ThreadPoolNumThreadsArgs* args);
  Error* (*future_create)(FutureCreateArgs* args);
  Error* (*future_set_available)(FutureSetAvailableArgs* args);
  Error* (*future_set_error)(FutureSetErrorArgs* args);
  Error* (*run_id_get)(RunIdGetArgs* args);
  Error* (*device_ordinal_get)(DeviceOrdinalGetArgs* args);
  Error* (*find_extension)(FindExtensionArgs* args);
  Error* (*custom_options_get)(CustomOptionsGetArgs* args);
};

}  // namespace reference::ffi
