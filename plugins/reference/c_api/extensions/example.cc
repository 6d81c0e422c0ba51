// Example: the extension of the API's documentation, an object that is created, used and destroyed.
#include <atomic>
#include <memory>

#include "c_api/extensions/extension.h"

struct PJRT_ExampleExtensionCpp {
  std::atomic<int64_t> value{0};
};

// The table of layouts omits this struct; it is the object alone, as for creation.
struct PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args {
  PJRT_ExampleExtensionCpp* extension_cpp;
};

namespace reference {
namespace {

// These arguments have no struct_size.
template <typename Args, typename Body>
PJRT_Error* CallUnsized(Args* args, Body&& body) {
  try {
    Given(args, "args");
    std::forward<Body>(body)();
    return nullptr;
  } catch (...) {
    return MakeCaughtError();
  }
}

PJRT_Error* Method(PJRT_ExampleExtension_ExampleMethod_Args* args) {
  return CallUnsized(args, [&] { Given(args->extension_cpp, "extension_cpp").value = args->value; });
}

PJRT_Error* Create(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args) {
  return CallUnsized(args, [&] { args->extension_cpp = std::make_unique<PJRT_ExampleExtensionCpp>().release(); });
}

PJRT_Error* Destroy(PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args* args) {
  return CallUnsized(args, [&] { delete args->extension_cpp; });
}

}  // namespace

PJRT_Extension_Base* ExampleExtension() {
  static PJRT_Example_Extension extension = {BaseOf(PJRT_Extension_Type_Example), Method, Create, Destroy};
  return &extension.base;
}

}  // namespace reference
