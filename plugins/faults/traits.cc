// PJRT_FAULTS_TRAITS: what a plugin may be like without a defect, named by commas, beside any PJRT_FAULT (or `slots`):
//   memory-not-on-host  PJRT_Buffer_IsOnCpu says no, and nobody gets a pointer or a reference count
//   artifacts-only      programs are portable artifacts (bytecode); text is refused
//   one-client          a second client in one process is refused
//   no-size-query       PJRT_Buffer_ToHostBuffer refuses to tell a size; copies to a destination work
//   short-table         the size of the table leaves its last function out, which stands there all the same
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "faults.h"

namespace faults {
namespace {

template <class S>
void Refuse(PJRT_Error_Code code, const char* message, std::function<bool(typename S::Args&)> when) {
  Replace<S>([=](auto& args, auto& right) -> PJRT_Error* {
    return when(args) ? MakeError(code, message) : right(&args);
  });
}

template <class S>
void Unimplemented(const char* message) {
  Refuse<S>(PJRT_Error_Code_UNIMPLEMENTED, message, [](auto&) { return true; });
}

void MemoryNotOnHost() {
  After<SLOT(PJRT_Buffer_IsOnCpu)>([](auto& args) { args.is_on_cpu = false; });
  Unimplemented<SLOT(PJRT_Buffer_UnsafePointer)>("the memory of this device has no address on the host");
  Unimplemented<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>("the memory of this device has no address");
  Unimplemented<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>("nobody else refers to buffers of this device");
  Unimplemented<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>("nobody else refers to buffers of this device");
}

void ArtifactsOnly() {
  Refuse<SLOT(PJRT_Client_Compile)>(
      PJRT_Error_Code_INVALID_ARGUMENT, "a program must be a portable artifact", [](PJRT_Client_Compile_Args& args) {
        static const char kMagic[] = {'M', 'L', '\xef', 'R'};
        const PJRT_Program* program = args.program;
        return program == nullptr || program->code == nullptr || program->code_size < sizeof(kMagic) ||
               std::memcmp(program->code, kMagic, sizeof(kMagic)) != 0;
      });
}

void OneClient() {
  Refuse<SLOT(PJRT_Client_Create)>(PJRT_Error_Code_RESOURCE_EXHAUSTED, "the device belongs to another client", [](auto&) {
    static std::atomic<bool> made{false};
    return made.exchange(true);
  });
}

void NoSizeQuery() {
  Refuse<SLOT(PJRT_Buffer_ToHostBuffer)>(PJRT_Error_Code_INVALID_ARGUMENT, "dst is NULL",
                                         [](auto& args) { return args.dst == nullptr; });
}

void ShortTable() { Table().struct_size -= sizeof(void*); }

const std::map<std::string, void (*)()> kTraits = {
    {"memory-not-on-host", MemoryNotOnHost}, {"artifacts-only", ArtifactsOnly}, {"one-client", OneClient},
    {"no-size-query", NoSizeQuery},          {"short-table", ShortTable},
};

}  // namespace

void InstallTraits() {
  const char* text = std::getenv("PJRT_FAULTS_TRAITS");
  if (text == nullptr || *text == '\0') return;
  OwnErrors();
  const std::string all = text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    const std::string name = all.substr(at, end - at);
    at = end + 1;
    const auto trait = kTraits.find(name);
    if (trait == kTraits.end()) {
      std::fprintf(stderr, "faults: PJRT_FAULTS_TRAITS: no trait is called %s\n", name.c_str());
      std::_Exit(97);
    }
    trait->second();
  }
}

}  // namespace faults
