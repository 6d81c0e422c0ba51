// The API table, and facts that need no client.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "base/design.h"
#include "c_api/call.h"
#include "c_api/extensions.h"
#include "c_api/functions.h"
#include "c_api/named_values.h"
#include "c_api/platform.h"
#include "c_api/version.h"
#include "ir/stablehlo_version.h"

namespace reference {

const std::string& PlatformVersion() {
  static const std::string version = "reference plugin, PJRT C API 0." + std::to_string(ApiMinor());
  return version;
}

namespace c_api {

PJRT_Error* Plugin_Initialize(PJRT_Plugin_Initialize_Args* args) {
  return Call("PJRT_Plugin_Initialize", args, [] {});
}

PJRT_Error* Plugin_Attributes(PJRT_Plugin_Attributes_Args* args) {
  return Call("PJRT_Plugin_Attributes", args, [&] {
    // Never freed: callers may read them for as long as the process lives.
    static const NamedValues& attributes = *new NamedValues{
        {"xla_version", int64_t{2}},
        {"stablehlo_current_version",
         std::vector<int64_t>(kCurrentStablehloVersion.begin(), kCurrentStablehloVersion.end())},
        {"stablehlo_minimum_version",
         std::vector<int64_t>(kMinimumStablehloVersion.begin(), kMinimumStablehloVersion.end())},
    };
    args->attributes = attributes.data();
    // Also with a struct_size of 24, which the headers before 0.72 gave by mistake, leaving this field out.
    args->num_attributes = attributes.size();
  });
}

}  // namespace c_api

namespace {

// 0.56 put PJRT_Buffer_CopyRawToHost between other functions, and 0.57 to the end.
constexpr int kMinorWithCopyRawInTheMiddle = 56;
constexpr size_t kSlotOfCopyRaw = 69;

const PJRT_Api* MakeTable() {
  if (ApiMinor() == 0) {
    std::fprintf(stderr, "reference plugin: PJRT_REFERENCE_API_MINOR must be a number from %d to %d\n", kOldestMinor,
                 kNewestMinor);
    return nullptr;
  }
  try {
    ThisDesign();
  } catch (const Error& error) {
    std::fprintf(stderr, "reference plugin: %s\n", error.what());
    return nullptr;
  }
  static PJRT_Api table = {};
  // The functions come first: an older table ends before those that it does not have.
#define SET(name) table.PJRT_##name = &c_api::name;
  REFERENCE_C_API_FUNCTIONS(SET)
#undef SET
  const auto [functions, size, declared] = FindTableSize();
  if (ApiMinor() == kMinorWithCopyRawInTheMiddle) {
    auto* slots = reinterpret_cast<void**>(&table.PJRT_Error_Destroy);
    std::rotate(slots + kSlotOfCopyRaw, slots + functions - 1, slots + functions);
  }
  char* bytes = reinterpret_cast<char*>(&table);
  for (size_t i = size; i < sizeof(table); i++) bytes[i] = 0;
  table.struct_size = declared;
  table.extension_start = ExtensionChain();
  table.pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR, ApiMinor()};
  return &table;
}

}  // namespace

}  // namespace reference

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api* table = reference::MakeTable();
  return table;
}
