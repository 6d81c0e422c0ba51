#include "runtime/custom_call.h"

#include <strings.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/design.h"
#include "base/primitive_type.h"
#include "runtime/device.h"
#include "runtime/event.h"
#include "runtime/ffi_attributes.h"
#include "runtime/layout.h"

namespace reference {

// The opaque structs whose pointers handlers hold.
struct ffi::Error {
  reference::Error error;
};

struct ffi::Future {
  EventPtr event = Event::Pending();
};

struct ffi::ExecutionContext {
  const CustomCallLaunch& launch;
  const FfiAttributes& options;
  std::mutex mutex;
  // Memory allocated for a handler; what it does not release is freed with the call.
  std::map<void*, std::shared_ptr<std::byte>> allocated;
};

namespace {

struct Registered {
  std::mutex mutex;
  std::map<std::string, ffi::Handler*> handlers;
};

// Never destroyed: the devices' threads may outlive the end of main.
Registered& Registry() {
  static Registered& registry = *new Registered;
  return registry;
}

// How JAX moves a value inside a program to a memory of another kind. Here all of them are host memory.
bool IsPlacement(const std::string& target) { return target == "annotate_device_placement" && !ThisDesign().no_memories; }

ffi::Handler* FindHandler(const std::string& target) {
  Registered& registry = Registry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.handlers.find(target);
  return found == registry.handlers.end() ? nullptr : found->second;
}

// Runs a handler's API call; exceptions become the handler's error.
template <typename Body>
ffi::Error* Answer(Body&& body) {
  try {
    std::forward<Body>(body)();
    return nullptr;
  } catch (const Error& error) {
    return new ffi::Error{error};
  } catch (const std::exception& error) {
    return new ffi::Error{Internal(error.what())};
  }
}

std::string TextOf(const ffi::ByteSpan& span) { return std::string(span.data, span.size); }

ffi::Error* ErrorCreate(ffi::ErrorCreateArgs* args) {
  const std::string message = args->message == nullptr ? "" : args->message;
  // An error with code OK would not be an error.
  const bool known = args->code > 0 && args->code <= static_cast<int>(Code::kUnauthenticated);
  return new ffi::Error{Error(known ? static_cast<Code>(args->code) : Code::kUnknown, message)};
}

void ErrorMessage(ffi::ErrorMessageArgs* args) {
  args->message = args->error->error.message.c_str();
  if (args->struct_size >= sizeof(*args)) args->code = static_cast<int>(args->error->error.code);
}

void ErrorDestroy(ffi::ErrorDestroyArgs* args) { delete args->error; }

ffi::Error* HandlerRegister(ffi::HandlerRegisterArgs* args) {
  return Answer([&] {
    const auto& [instantiate, prepare, initialize, execute] = args->bundle;
    if (instantiate != nullptr || prepare != nullptr || initialize != nullptr) {
      throw Unimplemented("handlers of other stages than the execution");
    }
    RegisterCustomCall(TextOf(args->name), TextOf(args->platform), execute);
  });
}

// Work runs on the calling thread, one for each device.
ffi::Error* StreamGet(ffi::StreamGetArgs* args) {
  return Answer([&] { args->stream = nullptr; });
}

ffi::Error* TypeRegister(ffi::TypeRegisterArgs* args) {
  return Answer([&] {
    const auto deleter = args->type_info == nullptr ? nullptr : args->type_info->deleter;
    args->type_id->type_id = RegisterDataType(TextOf(args->name), args->type_id->type_id, deleter);
  });
}

ffi::Error* ContextGet(ffi::ContextGetArgs* args) {
  return Answer([&] {
    const auto& context = args->context->launch.context;
    args->data = context == nullptr ? nullptr : context->Find(args->type_id->type_id);
    if (args->data == nullptr) {
      throw NotFound("the execution has no data of the type " + std::to_string(args->type_id->type_id));
    }
  });
}

ffi::Error* StateSet(ffi::StateSetArgs*) {
  return Answer([] { throw FailedPrecondition("a handler has a state only from its stage of instantiation"); });
}

ffi::Error* StateGet(ffi::StateGetArgs*) {
  return Answer([] { throw NotFound("a handler that was not instantiated has no state"); });
}

ffi::Error* DeviceMemoryAllocate(ffi::DeviceMemoryAllocateArgs* args) {
  return Answer([&] {
    constexpr size_t kAlignment = 64;
    if (args->alignment > kAlignment) throw Unimplemented("memory with more than 64 bytes of alignment");
    auto memory = args->context->launch.device->default_memory()->Allocate(args->size);
    args->data = memory.get();
    const std::lock_guard<std::mutex> lock(args->context->mutex);
    args->context->allocated[args->data] = std::move(memory);
  });
}

ffi::Error* DeviceMemoryFree(ffi::DeviceMemoryFreeArgs* args) {
  return Answer([&] {
    const std::lock_guard<std::mutex> lock(args->context->mutex);
    if (args->context->allocated.erase(args->data) == 0) throw InvalidArgument("the memory was not allocated here");
  });
}

// The pool is the calling thread, which the rules of the FFI allow.
ffi::Error* ThreadPoolSchedule(ffi::ThreadPoolScheduleArgs* args) {
  return Answer([&] { args->task(args->data); });
}

ffi::Error* ThreadPoolNumThreads(ffi::ThreadPoolNumThreadsArgs* args) {
  return Answer([&] { *args->num_threads = 1; });
}

ffi::Error* FutureCreate(ffi::FutureCreateArgs* args) {
  return Answer([&] { args->future = new ffi::Future; });
}

// Completing a future is its last use: the waiter destroys it.
ffi::Error* FutureSetAvailable(ffi::FutureSetAvailableArgs* args) {
  return Answer([&] { EventPtr(args->future->event)->SetDone(); });
}

ffi::Error* FutureSetError(ffi::FutureSetErrorArgs* args) {
  return Answer([&] {
    const std::unique_ptr<ffi::Error> error(args->error);
    EventPtr(args->future->event)->SetError(error == nullptr ? Internal("a future failed without an error") : error->error);
  });
}

ffi::Error* RunIdGet(ffi::RunIdGetArgs* args) {
  return Answer([&] { args->run_id = args->context->launch.run_id; });
}

ffi::Error* DeviceOrdinalGet(ffi::DeviceOrdinalGetArgs* args) {
  return Answer([&] { args->device_ordinal = args->context->launch.device->local_hardware_id(); });
}

// The context of a call has no extensions.
ffi::Error* FindExtension(ffi::FindExtensionArgs* args) {
  return Answer([&] { args->extension = nullptr; });
}

ffi::Error* CustomOptionsGet(ffi::CustomOptionsGetArgs* args) {
  return Answer([&] { args->attributes = &args->context->options.attributes(); });
}

const ffi::Api kApi = {
    sizeof(ffi::Api),   nullptr,
    {sizeof(ffi::ApiVersion), nullptr, ffi::kMajor, ffi::kMinor},
    nullptr,            ErrorCreate,
    ErrorMessage,       ErrorDestroy,
    HandlerRegister,    StreamGet,
    TypeRegister,       ContextGet,
    StateSet,           StateGet,
    DeviceMemoryAllocate, DeviceMemoryFree,
    ThreadPoolSchedule, ThreadPoolNumThreads,
    FutureCreate,       FutureSetAvailable,
    FutureSetError,     RunIdGet,
    DeviceOrdinalGet,   FindExtension,
    CustomOptionsGet,
};

void ThrowIfFailed(ffi::Error* given, const std::string& what) {
  const std::unique_ptr<ffi::Error> error(given);
  if (error == nullptr) return;
  Error thrown = error->error;
  thrown.message = what + ": " + thrown.message;
  throw thrown;
}

ffi::CallFrame MakeFrame(ffi::ExecutionContext* context) {
  ffi::CallFrame frame{};
  frame.struct_size = ffi::kCallFrameSize;
  frame.api = &kApi;
  frame.context = context;
  frame.stage = ffi::Stage::kExecute;
  frame.arguments.struct_size = sizeof(ffi::Buffers);
  frame.results.struct_size = sizeof(ffi::Buffers);
  frame.attributes.struct_size = sizeof(ffi::Attributes);
  return frame;
}

// One side of a call: the arguments or the results, each in its layout.
class BufferList {
 public:
  void Add(const ArrayType& type, void* data) {
    const bool token = type.type == ElementType::kToken;
    dims_.push_back(std::make_unique<Dims>(type.dims));
    buffers_.push_back(std::make_unique<ffi::Buffer>(
        ffi::Buffer{sizeof(ffi::Buffer), nullptr, PrimitiveType(type.type), token ? nullptr : data,
                    static_cast<int64_t>(type.dims.size()), dims_.back()->data()}));
    kinds_.push_back(ffi::kBuffer);
    pointers_.push_back(buffers_.back().get());
  }
  ffi::Buffers buffers() {
    return {sizeof(ffi::Buffers), nullptr, static_cast<int64_t>(kinds_.size()), kinds_.data(), pointers_.data()};
  }

 private:
  std::vector<std::unique_ptr<Dims>> dims_;
  std::vector<std::unique_ptr<ffi::Buffer>> buffers_;
  std::vector<int> kinds_;
  std::vector<void*> pointers_;
};

// The layouts that the op requests, row-major by default.
std::vector<Layout> LayoutsOf(const Op& op, const char* name, const std::vector<ArrayType>& types) {
  std::vector<Layout> layouts;
  for (const ArrayType& type : types) layouts.push_back(Layout::RowMajor(type.dims.size()));
  const Attribute* attribute = op.Find(name);
  const auto* list = attribute == nullptr ? nullptr : attribute->get<std::shared_ptr<std::vector<Attribute>>>();
  if (list == nullptr || (*list)->empty()) return layouts;
  if ((*list)->size() != types.size()) {
    throw InvalidArgument(op.name + ": " + name + " has " + std::to_string((*list)->size()) + " layouts, expected " +
                          std::to_string(types.size()));
  }
  for (size_t i = 0; i < types.size(); i++) {
    const auto* order = (**list)[i].get<std::vector<int64_t>>();
    // A layout without dimensions is also that of a token.
    if (order == nullptr || types[i].type == ElementType::kToken) continue;
    layouts[i].minor_to_major = *order;
    CheckLayout(layouts[i], types[i]);
  }
  return layouts;
}

// The operand with which each result shares memory; -1: none.
std::vector<int64_t> AliasesOf(const Op& op) {
  std::vector<int64_t> aliases(op.result_types.size(), -1);
  const Attribute* attribute = op.Find("output_operand_aliases");
  const auto* list = attribute == nullptr ? nullptr : attribute->get<std::shared_ptr<std::vector<Attribute>>>();
  if (list == nullptr) return aliases;
  for (const Attribute& alias : **list) {
    const auto* fields = alias.get<std::shared_ptr<Dictionary>>();
    if (fields == nullptr) continue;
    const auto indices = [&](const char* name) {
      const auto found = (*fields)->find(name);
      const auto* values = found == (*fields)->end() ? nullptr : found->second.get<std::vector<int64_t>>();
      return values == nullptr ? std::vector<int64_t>() : *values;
    };
    const auto outputs = indices("output_tuple_indices");
    const auto operand = (*fields)->find("operand_index");
    const auto* index = operand == (*fields)->end() ? nullptr : operand->second.get<int64_t>();
    const size_t output = outputs.empty() ? 0 : static_cast<size_t>(outputs[0]);
    if (index != nullptr && *index >= 0 && output < aliases.size()) aliases[output] = *index;
  }
  return aliases;
}

// The dictionary of a typed call; artifacts have it under another name.
const Dictionary& BackendConfig(const Op& op) {
  static const Dictionary& none = *new Dictionary;
  for (const char* name : {"mhlo.backend_config", "backend_config"}) {
    const Attribute* attribute = op.Find(name);
    if (attribute == nullptr) continue;
    if (const auto* dictionary = attribute->get<std::shared_ptr<Dictionary>>()) return **dictionary;
  }
  return none;
}

std::shared_ptr<std::byte> CopyInLayout(const Array& array, const Layout& layout) {
  const ArrayType& type = array.type();
  auto copy = AllocateBytes(BytesInLayout(type, layout));
  CopyBetweenLayouts(type, array.data(), Layout::RowMajor(type.dims.size()), copy.get(), layout);
  return copy;
}

std::vector<Array> CallHandler(ffi::Handler* handler, const std::string& target, const CustomCallLaunch& launch,
                               const Op& op, const std::vector<Array>& operands) {
  std::vector<ArrayType> operand_types;
  std::vector<ArrayType> result_types;
  for (const Array& operand : operands) operand_types.push_back(operand.type());
  for (const Type& type : op.result_types) {
    if (type.is_tuple) throw Unimplemented("custom call " + target + ": a result that is a tuple");
    result_types.push_back(type.array);
  }
  const auto operand_layouts = LayoutsOf(op, "operand_layouts", operand_types);
  const auto result_layouts = LayoutsOf(op, "result_layouts", result_types);
  const auto aliases = AliasesOf(op);

  // Memory in the layouts of the call. If a result shares the memory of an operand, both use the same copy.
  std::vector<std::shared_ptr<std::byte>> argument_memory;
  for (size_t i = 0; i < operands.size(); i++) {
    const bool as_it_is = operand_types[i].type == ElementType::kToken || operand_layouts[i].IsRowMajor();
    argument_memory.push_back(as_it_is ? operands[i].storage() : CopyInLayout(operands[i], operand_layouts[i]));
  }
  std::vector<std::shared_ptr<std::byte>> result_memory;
  for (size_t i = 0; i < result_types.size(); i++) {
    if (result_types[i].type == ElementType::kToken) {
      result_memory.push_back(nullptr);
    } else if (aliases[i] >= 0 && static_cast<size_t>(aliases[i]) < operands.size()) {
      const size_t operand = static_cast<size_t>(aliases[i]);
      if (operand_types[operand] != result_types[i]) {
        throw InvalidArgument("custom call " + target + ": a result shares the memory of an operand of another type");
      }
      result_memory.push_back(CopyInLayout(operands[operand], result_layouts[i]));
      argument_memory[operand] = result_memory.back();
    } else {
      result_memory.push_back(AllocateBytes(BytesInLayout(result_types[i], result_layouts[i])));
    }
  }

  BufferList arguments;
  BufferList results;
  for (size_t i = 0; i < operands.size(); i++) arguments.Add(operand_types[i], argument_memory[i].get());
  for (size_t i = 0; i < result_types.size(); i++) results.Add(result_types[i], result_memory[i].get());
  const FfiAttributes attributes(BackendConfig(op));
  const FfiAttributes options(launch.options == nullptr ? Dictionary() : *launch.options);
  ffi::ExecutionContext context{launch, options, {}, {}};
  ffi::CallFrame frame = MakeFrame(&context);
  frame.arguments = arguments.buffers();
  frame.results = results.buffers();
  frame.attributes = attributes.attributes();
  ThrowIfFailed(handler(&frame), "custom call " + target);
  if (frame.future != nullptr) {
    const std::unique_ptr<ffi::Future> future(frame.future);
    const EventPtr done = future->event;
    done->Await();
  }

  std::vector<Array> arrays;
  for (size_t i = 0; i < result_types.size(); i++) {
    if (result_types[i].type == ElementType::kToken) {
      arrays.emplace_back(result_types[i]);
    } else if (result_layouts[i].IsRowMajor()) {
      arrays.emplace_back(result_types[i], result_memory[i]);
    } else {
      Array dense(result_types[i]);
      CopyBetweenLayouts(result_types[i], result_memory[i].get(), result_layouts[i], dense.mutable_data(),
                         Layout::RowMajor(result_types[i].dims.size()));
      arrays.push_back(std::move(dense));
    }
  }
  return arrays;
}

}  // namespace

void RegisterCustomCall(const std::string& target, const std::string& platform, ffi::Handler* handler) {
  if (handler == nullptr) throw InvalidArgument("the handler of a custom call is null");
  if (target.empty()) throw InvalidArgument("a custom call has no target");
  const auto is_platform = [&](const std::string& name) {
    return platform.size() == name.size() && strncasecmp(platform.data(), name.data(), name.size()) == 0;
  };
  // The host's handlers work as well, because the memory is host memory.
  if (!platform.empty() && !is_platform("reference") && !is_platform("host") && !is_platform("cpu")) {
    throw InvalidArgument("the platform of the handler of " + target + " is '" + platform + "', expected 'reference'");
  }
  ffi::Metadata metadata{sizeof(ffi::Metadata), {sizeof(ffi::ApiVersion), nullptr, 0, 0}, 0, {ffi::kUnknownTypeId}};
  ffi::MetadataExtension extension{{sizeof(ffi::MetadataExtension), ffi::kMetadataExtension, nullptr}, &metadata};
  ffi::CallFrame frame = MakeFrame(nullptr);
  frame.extension_start = &extension.base;
  ThrowIfFailed(handler(&frame), "the handler of " + target);
  if (metadata.api_version.major_version != ffi::kMajor || metadata.api_version.minor_version > ffi::kMinor) {
    throw InvalidArgument("the handler of " + target + " is of version " +
                          std::to_string(metadata.api_version.major_version) + "." +
                          std::to_string(metadata.api_version.minor_version) + " of the FFI, this plugin of " +
                          std::to_string(ffi::kMajor) + "." + std::to_string(ffi::kMinor));
  }
  Registered& registry = Registry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto [place, added] = registry.handlers.emplace(target, handler);
  if (!added && place->second != handler) {
    throw Error(Code::kAlreadyExists, "the custom call " + target + " has another handler already");
  }
}

bool HasCustomCall(const std::string& target) { return IsPlacement(target) || FindHandler(target) != nullptr; }

CustomCall FindCustomCall(const std::string& target, const CustomCallLaunch& launch) {
  if (IsPlacement(target)) {
    return [](const Op&, const std::vector<Array>& operands) { return operands; };
  }
  ffi::Handler* const handler = FindHandler(target);
  if (handler == nullptr) return nullptr;
  return [=](const Op& op, const std::vector<Array>& operands) {
    return CallHandler(handler, target, launch, op, operands);
  };
}

}  // namespace reference
