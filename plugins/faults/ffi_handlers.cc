// Handlers of custom calls, registered through the extension FFI: a handler of this library is registered instead, which
// calls the one that was given.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "../reference/runtime/ffi_abi.h"
#include "faults.h"

namespace {

using namespace faults;
namespace ffi = reference::ffi;

using Run = std::function<ffi::Error*(ffi::CallFrame& frame)>;

ffi::Handler* given = nullptr;
Run run_instead;

bool AsksForMetadata(const ffi::CallFrame& frame) {
  for (const ffi::ExtensionBase* at = frame.extension_start; at != nullptr; at = at->next) {
    if (at->type == ffi::kMetadataExtension) return true;
  }
  return false;
}

/** Calls in an execution become calls of `run`, which can call `given`. */
void RunInstead(Run run) {
  run_instead = std::move(run);
  auto* e = Extension<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI);
  if (e == nullptr) return;
  ReplaceIn<PJRT_FFI_Register_Handler_Args>(e->register_handler, [](auto& args, auto original) -> PJRT_Error* {
    if (args.handler == nullptr) return original(&args);
    given = reinterpret_cast<ffi::Handler*>(args.handler);
    ffi::Handler* own = [](ffi::CallFrame* frame) -> ffi::Error* {
      return AsksForMetadata(*frame) ? given(frame) : run_instead(*frame);
    };
    PJRT_FFI_Register_Handler_Args changed = args;
    changed.handler = reinterpret_cast<void*>(own);
    return original(&changed);
  });
}

void Destroy(const ffi::CallFrame& frame, ffi::Error* error) {
  if (error == nullptr) return;
  ffi::ErrorDestroyArgs args{sizeof(args), nullptr, error};
  frame.api->error_destroy(&args);
}

/** A copy that lives as long as the process: what a handler leaves to a future may be read late. */
template <class T>
T* Kept(const T* values, int64_t count) {
  T* copy = new T[static_cast<size_t>(count)];
  std::copy_n(values, count, copy);
  return copy;
}

ffi::Buffer& OwnBuffer(ffi::Buffers& list, int64_t at) {
  if (at == 0) list.buffers = Kept(list.buffers, list.size);
  auto* copy = Kept(static_cast<const ffi::Buffer*>(list.buffers[at]), 1);
  list.buffers[at] = copy;
  return *copy;
}

size_t BytesOfBuffer(const ffi::Buffer& buffer) {
  size_t count = 1;
  for (int64_t i = 0; i < buffer.rank; i++) count *= static_cast<size_t>(buffer.dims[i]);
  return count * 8;
}

/** The base's API with which handlers call back, as far as it goes. */
ffi::Api base_api;

/** Handlers get an API that was changed. */
void WithApi(std::function<void(ffi::Api&)> change) {
  RunInstead([change](ffi::CallFrame& frame) {
    static ffi::Api changed;
    std::memcpy(static_cast<void*>(&base_api), frame.api, std::min(sizeof(base_api), frame.api->struct_size));
    changed = base_api;
    change(changed);
    frame.api = &changed;
    return given(&frame);
  });
}

// ---- when handlers run --------------------------------------------------------------------------------------------------

FAULT("ffi-handler-not-registered") {
  if (auto* e = Extension<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI)) {
    ReplaceIn<PJRT_FFI_Register_Handler_Args>(
        e->register_handler, [](auto& args, auto original) -> PJRT_Error* {
          return args.handler == nullptr ? original(&args) : nullptr;
        });
  }
}
FAULT("ffi-null-handler-accepted") {
  if (auto* e = Extension<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI)) {
    ReplaceIn<PJRT_FFI_Register_Handler_Args>(
        e->register_handler, [](auto& args, auto original) -> PJRT_Error* {
          return args.handler == nullptr ? nullptr : original(&args);
        });
  }
}
FAULT("ffi-handler-never-runs") {
  RunInstead([](ffi::CallFrame&) -> ffi::Error* { return nullptr; });
}
FAULT("ffi-handler-runs-twice") {
  RunInstead([](ffi::CallFrame& frame) {
    Destroy(frame, given(&frame));
    return given(&frame);
  });
}
FAULT("ffi-handler-runs-in-first-execution-only") {
  // As if calls without side effects could be computed once.
  RunInstead([](ffi::CallFrame& frame) -> ffi::Error* {
    static bool ran = false;
    if (ran) return nullptr;
    ran = true;
    return given(&frame);
  });
}
FAULT("ffi-handler-runs-in-another-stage") {
  RunInstead([](ffi::CallFrame& frame) {
    frame.stage = ffi::Stage::kInitialize;
    return given(&frame);
  });
}
FAULT("ffi-call-frame-without-sizes") {
  RunInstead([](ffi::CallFrame& frame) {
    frame.arguments.struct_size = 0;
    frame.results.struct_size = 0;
    return given(&frame);
  });
}

// ---- what they get and make ---------------------------------------------------------------------------------------------

FAULT("ffi-operands-reversed") {
  RunInstead([](ffi::CallFrame& frame) {
    frame.arguments.buffers = Kept(frame.arguments.buffers, frame.arguments.size);
    std::reverse(frame.arguments.buffers, frame.arguments.buffers + frame.arguments.size);
    return given(&frame);
  });
}
FAULT("ffi-result-shape-reversed") {
  RunInstead([](ffi::CallFrame& frame) {
    for (int64_t i = 0; i < frame.results.size; i++) {
      ffi::Buffer& result = OwnBuffer(frame.results, i);
      result.dims = Kept(result.dims, result.rank);
      std::reverse(result.dims, result.dims + result.rank);
    }
    return given(&frame);
  });
}
FAULT("ffi-operand-type-of-integers") {
  RunInstead([](ffi::CallFrame& frame) {
    for (int64_t i = 0; i < frame.arguments.size; i++) OwnBuffer(frame.arguments, i).type = 4;
    return given(&frame);
  });
}
FAULT("ffi-operands-not-computed-yet") {
  RunInstead([](ffi::CallFrame& frame) {
    for (int64_t i = 0; i < frame.arguments.size; i++) {
      ffi::Buffer& operand = OwnBuffer(frame.arguments, i);
      operand.data = new uint8_t[BytesOfBuffer(operand)]();
    }
    return given(&frame);
  });
}
FAULT("ffi-results-lost") {
  RunInstead([](ffi::CallFrame& frame) {
    for (int64_t i = 0; i < frame.results.size; i++) {
      ffi::Buffer& result = OwnBuffer(frame.results, i);
      result.data = new uint8_t[BytesOfBuffer(result)]();
    }
    return given(&frame);
  });
}
FAULT("ffi-attributes-missing") {
  RunInstead([](ffi::CallFrame& frame) {
    frame.attributes.size = 0;
    return given(&frame);
  });
}
FAULT("ffi-attributes-unsorted") {
  RunInstead([](ffi::CallFrame& frame) {
    ffi::Attributes& attributes = frame.attributes;
    const int64_t size = attributes.size;
    attributes.kinds = Kept(attributes.kinds, size);
    attributes.names = Kept(attributes.names, size);
    attributes.values = Kept(attributes.values, size);
    std::reverse(attributes.kinds, attributes.kinds + size);
    std::reverse(attributes.names, attributes.names + size);
    std::reverse(attributes.values, attributes.values + size);
    return given(&frame);
  });
}
FAULT("ffi-attribute-narrowed") {
  // Integers of 64 bits are said to have 32.
  RunInstead([](ffi::CallFrame& frame) {
    ffi::Attributes& attributes = frame.attributes;
    attributes.values = Kept(attributes.values, attributes.size);
    for (int64_t i = 0; i < attributes.size; i++) {
      if (attributes.kinds[i] != ffi::AttributeKind::kScalar) continue;
      auto* scalar = Kept(static_cast<const ffi::Scalar*>(attributes.values[i]), 1);
      if (scalar->type == 5) scalar->type = 4;
      attributes.values[i] = scalar;
    }
    return given(&frame);
  });
}

// ---- errors -------------------------------------------------------------------------------------------------------------

FAULT("ffi-handler-error-dropped") {
  RunInstead([](ffi::CallFrame& frame) -> ffi::Error* {
    Destroy(frame, given(&frame));
    return nullptr;
  });
}
FAULT("ffi-handler-error-without-message") {
  WithApi([](ffi::Api& api) {
    api.error_create = [](ffi::ErrorCreateArgs* args) {
      ffi::ErrorCreateArgs changed = *args;
      changed.message = "a custom call failed";
      return base_api.error_create(&changed);
    };
  });
}
FAULT("ffi-handler-error-always-internal") {
  WithApi([](ffi::Api& api) {
    api.error_create = [](ffi::ErrorCreateArgs* args) {
      ffi::ErrorCreateArgs changed = *args;
      changed.code = PJRT_Error_Code_INTERNAL;
      return base_api.error_create(&changed);
    };
  });
}
FAULT("ffi-handler-error-stays") {
  RunInstead([](ffi::CallFrame& frame) -> ffi::Error* {
    static bool failed = false;
    ffi::Error* error = given(&frame);
    if (!failed || error != nullptr) {
      failed = error != nullptr;
      return error;
    }
    ffi::ErrorCreateArgs args{sizeof(args), nullptr, "the executable has failed before", PJRT_Error_Code_INTERNAL};
    return frame.api->error_create(&args);
  });
}

// ---- user data ----------------------------------------------------------------------------------------------------------

FAULT("ffi-user-data-lost") {
  WithApi([](ffi::Api& api) {
    api.context_get = [](ffi::ContextGetArgs*) -> ffi::Error* {
      ffi::ErrorCreateArgs args{sizeof(args), nullptr, "no data", PJRT_Error_Code_NOT_FOUND};
      return base_api.error_create(&args);
    };
  });
}
FAULT("ffi-user-data-of-first-execution") {
  WithApi([](ffi::Api& api) {
    api.context_get = [](ffi::ContextGetArgs* args) -> ffi::Error* {
      static std::map<int64_t, void*> known;
      const auto found = known.find(args->type_id->type_id);
      if (found != known.end()) {
        args->data = found->second;
        return nullptr;
      }
      ffi::Error* error = base_api.context_get(args);
      if (error == nullptr) known[args->type_id->type_id] = args->data;
      return error;
    };
  });
}

// ---- futures ------------------------------------------------------------------------------------------------------------

FAULT("ffi-future-ignored") {
  RunInstead([](ffi::CallFrame& frame) {
    ffi::Error* error = given(&frame);
    frame.future = nullptr;
    return error;
  });
}
FAULT("ffi-future-error-dropped") {
  WithApi([](ffi::Api& api) {
    api.future_set_error = [](ffi::FutureSetErrorArgs* args) -> ffi::Error* {
      ffi::ErrorDestroyArgs error{sizeof(error), nullptr, args->error};
      base_api.error_destroy(&error);
      ffi::FutureSetAvailableArgs done{sizeof(done), nullptr, args->future};
      return base_api.future_set_available(&done);
    };
  });
}

}  // namespace
