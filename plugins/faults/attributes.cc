// Attributes and initialization of the plugin.
#include <atomic>
#include <cstdlib>

#include "calls.h"

namespace {

using namespace faults;

/** A copy of the attributes that lives forever, modified by `change`. */
void ChangeAttributes(std::function<void(std::vector<PJRT_NamedValue>&)> change) {
  After<SLOT(PJRT_Plugin_Attributes)>([change](auto& args) {
    static std::vector<PJRT_NamedValue> kept;
    static std::once_flag once;
    std::call_once(once, [&] {
      kept.assign(args.attributes, args.attributes + args.num_attributes);
      change(kept);
    });
    args.attributes = kept.data();
    args.num_attributes = kept.size();
  });
}
bool Is(const PJRT_NamedValue& value, std::string_view name) {
  return std::string_view(value.name, value.name_size) == name;
}

FAULT("attributes-null-with-count") {
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) { args.attributes = nullptr; });
}
FAULT("attributes-without-stablehlo-versions") {
  ChangeAttributes([](auto& list) {
    std::vector<PJRT_NamedValue> rest;
    for (const auto& value : list) {
      if (std::string_view(value.name, value.name_size).find("stablehlo") == std::string_view::npos) rest.push_back(value);
    }
    list = rest;
  });
}
FAULT("attributes-version-of-two-numbers") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) {
      if (Is(value, "stablehlo_current_version")) value.value_size = 2;
    }
  });
}
FAULT("attributes-minimum-newer-than-current") {
  ChangeAttributes([](auto& list) {
    PJRT_NamedValue *current = nullptr, *minimum = nullptr;
    for (auto& value : list) {
      if (Is(value, "stablehlo_current_version")) current = &value;
      if (Is(value, "stablehlo_minimum_version")) minimum = &value;
    }
    if (current && minimum) std::swap(current->int64_array_value, minimum->int64_array_value);
  });
}
FAULT("attributes-current-version-as-text") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) {
      if (!Is(value, "stablehlo_current_version")) continue;
      value.type = PJRT_NamedValue_kString;
      value.string_value = "1.13.0";
      value.value_size = 6;
    }
  });
}
FAULT("attributes-type-out-of-enum") {
  ChangeAttributes([](auto& list) { list[0].type = static_cast<PJRT_NamedValue_Type>(9); });
}
FAULT("attributes-scalar-of-size-0") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) {
      if (Is(value, "xla_version")) value.value_size = 0;
    }
  });
}
FAULT("attributes-name-twice") {
  ChangeAttributes([](auto& list) { list.push_back(list[0]); });
}
FAULT("attributes-without-struct-size") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) value.struct_size = 0;
  });
}
FAULT("attributes-made-anew") {
  // Each call rebuilds the array in place.
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) {
    static std::vector<PJRT_NamedValue> rooms[2];
    static std::atomic<int> calls{0};
    const int call = calls++;
    std::vector<PJRT_NamedValue>& room = rooms[call % 2];
    std::vector<PJRT_NamedValue>& other = rooms[(call + 1) % 2];
    room.assign(args.attributes, args.attributes + args.num_attributes);
    for (auto& value : other) value.value_size = 77;
    args.attributes = room.data();
  });
}
FAULT("attributes-only-before-client") {
  OwnErrors();
  static std::atomic<bool> client{false};
  After<SLOT(PJRT_Client_Create)>([](auto&) { client = true; });
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto& args, auto& original) -> PJRT_Error* {
    return client ? MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "there is a client") : original(&args);
  });
}
FAULT("attributes-fail") {
  Fail<SLOT(PJRT_Plugin_Attributes)>(PJRT_Error_Code_INTERNAL, "there are no attributes");
}
FAULT("attributes-old-size-without-count") {
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto& args, auto& original) -> PJRT_Error* {
    // Accepts 24 as declared, and writes no count.
    if (args.struct_size != 24) return original(&args);
    ARGS(PJRT_Plugin_Attributes, whole);
    PJRT_Error* error = original(&whole);
    args.attributes = whole.attributes;
    return error;
  });
}

// ---- initialization -----------------------------------------------------------------------------------------------------

FAULT("initialize-needs-a-free-lock") {
  // One process at a time: the effect of an accelerator's lock on a second one.
  OwnErrors();
  Replace<SLOT(PJRT_Plugin_Initialize)>([](auto& args, auto& original) -> PJRT_Error* {
    if (std::getenv("PJRT_FAULTS_LOCKED") != nullptr) return MakeError(PJRT_Error_Code_ABORTED, "the device is in use");
    setenv("PJRT_FAULTS_LOCKED", "1", 1);
    return original(&args);
  });
}
FAULT("initialize-crashes-first") {
  // Initialization needs something that only client creation provides.
  static std::atomic<bool> known{false};
  Before<SLOT(PJRT_Plugin_Attributes)>([](auto&) { known = true; });
  Before<SLOT(PJRT_Plugin_Initialize)>([](auto&) {
    if (!known) std::abort();
  });
}
FAULT("initialize-twice-breaks-client") {
  OwnErrors();
  static std::atomic<int> calls{0};
  Before<SLOT(PJRT_Plugin_Initialize)>([](auto&) { ++calls; });
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    return calls > 1 ? MakeError(PJRT_Error_Code_ALREADY_EXISTS, "initialized twice") : original(&args);
  });
}

}  // namespace
