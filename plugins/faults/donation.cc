// Donation of arguments.
#include <cstdlib>
#include <map>
#include <set>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "execute.h"
#include "programs.h"

namespace {

using namespace faults;

FAULT("donation-not-noticed") {
  // Donated buffers read as valid.
  static SharedSet<PJRT_Buffer*> taken;
  MarksItself();
  After<Execute>([](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!IsDeleted(args.argument_lists[0][i])) continue;
      MarkReached();
      taken.Add(args.argument_lists[0][i]);
    }
  });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    if (taken.Has(args.buffer)) args.is_deleted = false;
  });
}
FAULT("donation-never-done") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return WithoutDonation(args, original);
  });
}
FAULT("donation-list-ignored") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return WithOptions(args, original, [](PJRT_ExecuteOptions& options) { options.num_non_donatable_input_indices = 0; });
  });
}
FAULT("donation-list-first-entry-only") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return WithOptions(args, original, [](PJRT_ExecuteOptions& options) {
      // An index counted from one.
      static thread_local int64_t shifted;
      if (options.num_non_donatable_input_indices != 1) return;
      shifted = options.non_donatable_input_indices[0] + 1;
      options.non_donatable_input_indices = &shifted;
    });
  });
}
FAULT("donation-of-everything") {
  After<Execute>([](auto& args) {
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) AwaitBuffer(args.output_lists[0][i]);
    for (size_t i = 0; i < args.num_args; ++i) Delete(args.argument_lists[0][i]);
  });
}
FAULT("donation-used-again-aborts") {
  static SharedSet<PJRT_Buffer*> taken;
  MarksItself();
  After<Execute>([](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!IsDeleted(args.argument_lists[0][i])) continue;
      MarkReached();
      taken.Add(args.argument_lists[0][i]);
    }
  });
  auto check = [](PJRT_Buffer* buffer) {
    if (taken.Has(buffer)) std::abort();
  };
  Before<Execute>([check](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) check(args.argument_lists[0][i]);
  });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([check](auto& args) { check(args.src); });
  Before<SLOT(PJRT_Buffer_ReadyEvent)>([check](auto& args) { check(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { taken.Remove(args.buffer); });
}
FAULT("donation-frees-handle") {
  // Donated buffers are destroyed as well, leaving a dangling handle.
  static SharedSet<PJRT_Buffer*> freed;
  After<Execute>([](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (IsDeleted(args.argument_lists[0][i])) freed.Add(args.argument_lists[0][i]);
    }
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (freed.Remove(args.buffer)) std::abort();
  });
}
FAULT("donation-twice-accepted") {
  WatchClients();
  // A donated buffer that is another argument as well: the program runs, on memory that it overwrites.
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::set<PJRT_Buffer*> seen;
    bool twice = false;
    for (size_t i = 0; i < args.num_args; ++i) twice = twice || !seen.insert(args.argument_lists[0][i]).second;
    PJRT_Error* error = original(&args);
    if (!twice || error == nullptr) return error;
    Drop(error);
    error = WithoutDonation(args, original);
    if (error == nullptr && ShapeOf(args.output_lists[0][0]).count() > 0) {
      Change(args.output_lists[0][0], [](uint8_t* bytes) { *bytes ^= 1; });
    }
    return error;
  });
}
FAULT("donation-writes-referenced-memory") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, uint8_t*> held;
  After<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    held[args.buffer] = BytesOf(args.buffer);
  });
  After<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    held.erase(args.buffer);
  });
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      auto found = held.find(args.argument_lists[0][i]);
      if (found == held.end() || found->second == nullptr) continue;
      *found->second ^= 1;
    }
    return error;
  });
}
FAULT("donation-writes-immutable-host-memory") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, uint8_t*> lent;
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy)
      lent[args.buffer] = static_cast<uint8_t*>(const_cast<void*>(args.data));
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    lent.erase(args.buffer);
  });
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      auto found = lent.find(args.argument_lists[0][i]);
      if (found != lent.end() && IsDeleted(args.argument_lists[0][i])) *found->second ^= 1;
    }
  });
}
FAULT("donation-result-wrong") {
  // In place, the last element is read after it was written.
  WatchClients();
  MarksItself();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.num_args == 0 || args.output_lists == nullptr) return error;
    bool taken = false;
    for (size_t i = 0; i < args.num_args; ++i) taken = taken || IsDeleted(args.argument_lists[0][i]);
    if (taken) MarkReached();
    const size_t outputs = OutputsOf(args.executable);
    for (size_t i = 0; taken && i < outputs; ++i) {
      const Shape shape = ShapeOf(args.output_lists[0][i]);
      if (shape.count() == 0) continue;
      const size_t last = shape.count() * ElementBytes(shape.type) - 1;
      Change(args.output_lists[0][i], [last](uint8_t* bytes) { bytes[last] ^= 1; });
    }
    return nullptr;
  });
}
FAULT("donation-refuses-misfit") {
  OwnErrors();
  AfterRun([](Run&) {});
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    Program* program = ProgramOf(args.executable);
    const bool donor = program != nullptr && program->code.find("buffer_donor") != std::string::npos;
    PJRT_Error* error = original(&args);
    if (error != nullptr || !donor) return error;
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!IsDeleted(args.argument_lists[0][i])) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a donated argument was not used");
    }
    return nullptr;
  });
}
FAULT("donation-must-alias-taken-anyway") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.options->num_non_donatable_input_indices == 0) return error;
    Drop(error);
    return WithOptions(args, original, [](PJRT_ExecuteOptions& options) { options.num_non_donatable_input_indices = 0; });
  });
}

}  // namespace
