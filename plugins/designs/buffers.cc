// Missing element types: no buffer of them can be created.
#include <algorithm>

#include "programs.h"

namespace designs {
namespace {

template <class S>
void RefuseIn(const std::vector<int>& refused, std::vector<PJRT_Buffer_Type> (*types)(typename S::Args&)) {
  Replace<S>([refused, types](auto& args, auto& original) -> PJRT_Error* {
    for (PJRT_Buffer_Type type : types(args)) {
      if (std::find(refused.begin(), refused.end(), static_cast<int>(type)) != refused.end()) {
        return MakeError(PJRT_Error_Code_UNIMPLEMENTED, NoSuchType(static_cast<int>(type)));
      }
    }
    return original(&args);
  });
}

// Types of the buffers that a call would create; none if the struct of the caller is too short to have them.
#define ONE_TYPE(function, field)                                                                \
  RefuseIn<SLOT(PJRT_##function)>(refused, [](PJRT_##function##_Args& args) {                    \
    std::vector<PJRT_Buffer_Type> types;                                                         \
    if (HAS(args, PJRT_##function##_Args, field)) types.push_back(args.field);                   \
    return types;                                                                                \
  })

}  // namespace

void RefuseElementTypes() {
  const char* variable = "PJRT_DESIGN_ELEMENT_TYPES_REFUSED";
  const auto list = Setting(variable);
  if (!list) return;
  const std::vector<int> refused = Numbers(variable, *list);
  ONE_TYPE(Client_BufferFromHostBuffer, type);
  ONE_TYPE(Client_CreateUninitializedBuffer, shape_element_type);
  ONE_TYPE(Client_CreateViewOfDeviceBuffer, element_type);
  ONE_TYPE(Client_CreateErrorBuffer, shape_element_type);
  ONE_TYPE(Client_CreateAliasBuffer, shape_element_type);
  ONE_TYPE(Buffer_Bitcast, element_type);
  RefuseIn<SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice)>(
      refused, [](PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args) {
        std::vector<PJRT_Buffer_Type> types;
        if (!HAS(args, PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, num_shape_specs)) return types;
        for (size_t i = 0; args.shape_specs != nullptr && i < args.num_shape_specs; ++i) {
          types.push_back(args.shape_specs[i].element_type);
        }
        return types;
      });
  RefusePrograms([refused](const Contents& contents) -> std::string {
    for (int type : refused) {
      if (contents.types.count(type) != 0) return NoSuchType(type);
    }
    return "";
  });
}

}  // namespace designs
