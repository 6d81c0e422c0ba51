// Layouts: memory layouts as objects that are serialized and compared like XLA's.
#include <memory>
#include <utility>
#include <vector>

#include "c_api/extensions/extension.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"
#include "runtime/buffer.h"
#include "runtime/device_format.h"
#include "runtime/executable.h"

struct PJRT_Layouts_MemoryLayout {
  reference::Layout layout;
};

struct PJRT_Layouts_SerializedLayout {
  std::string text;
};

namespace reference {
namespace {

// The layouts of an executable's arguments or results, owned by the executable's handle.
struct LayoutList {
  std::vector<std::unique_ptr<PJRT_Layouts_MemoryLayout>> owned;
  std::vector<PJRT_Layouts_MemoryLayout*> pointers;

  template <typename Values>
  explicit LayoutList(const Values& values) {
    for (const ProgramValue& value : values) {
      owned.push_back(std::make_unique<PJRT_Layouts_MemoryLayout>(PJRT_Layouts_MemoryLayout{value.layout}));
      pointers.push_back(owned.back().get());
    }
  }
};

PJRT_Layouts_MemoryLayout* MakeLayout(Layout layout) {
  return std::make_unique<PJRT_Layouts_MemoryLayout>(PJRT_Layouts_MemoryLayout{std::move(layout)}).release();
}

PJRT_Layouts_MemoryLayout* MakeDefaultLayout(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  return MakeLayout(DefaultLayout(ArrayTypeFrom(type, dims, num_dims)));
}

PJRT_Error* Destroy(PJRT_Layouts_MemoryLayout_Destroy_Args* args) {
  return CALL_EXTENSION(PJRT_Layouts_MemoryLayout_Destroy, args, [&] { delete args->layout; });
}

PJRT_Error* Serialize(PJRT_Layouts_MemoryLayout_Serialize_Args* args) {
  return CALL_EXTENSION(PJRT_Layouts_MemoryLayout_Serialize, args, [&] {
    auto serialized = std::make_unique<PJRT_Layouts_SerializedLayout>();
    serialized->text = Given(args->layout, "layout").layout.ToString();
    args->serialized_bytes = serialized->text.data();
    args->serialized_bytes_size = serialized->text.size();
    args->serialized_layout = serialized.release();
    args->serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout* layout) { delete layout; };
  });
}

PJRT_Error* ClientDefault(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args) {
  return CALL_EXTENSION(PJRT_Layouts_PJRT_Client_GetDefaultLayout, args, [&] {
    Given(args->client, "client");
    args->layout = MakeDefaultLayout(args->type, args->dims, args->num_dims);
  });
}

PJRT_Error* TopologyDefault(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args) {
  return CALL_EXTENSION(PJRT_Layouts_PJRT_Topology_GetDefaultLayout, args, [&] {
    Given(args->topology_description, "topology_description");
    args->layout = MakeDefaultLayout(args->type, args->dims, args->num_dims);
  });
}

PJRT_Error* BufferLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args) {
  return CALL_EXTENSION(PJRT_Layouts_PJRT_Buffer_MemoryLayout, args,
                        [&] { args->layout = MakeLayout(BufferOf(args->buffer).layout()); });
}

PJRT_Error* OutputLayouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args) {
  return CALL_EXTENSION(PJRT_Layouts_PJRT_Executable_GetOutputLayouts, args, [&] {
    static const char key = 0;
    LayoutList& list = AnswerOf<LayoutList>(args->executable, &key, [](const Executable& e) { return LayoutList(e.outputs()); });
    args->num_outputs = list.pointers.size();
    args->layouts = list.pointers.data();
  });
}

PJRT_Error* ParameterLayouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args) {
  return CALL_EXTENSION(PJRT_Layouts_PJRT_Executable_GetParameterLayouts, args, [&] {
    static const char key = 0;
    LayoutList& list =
        AnswerOf<LayoutList>(args->executable, &key, [](const Executable& e) { return LayoutList(e.parameters()); });
    args->num_parameters = list.pointers.size();
    args->layouts = list.pointers.data();
  });
}

}  // namespace

PJRT_Extension_Base* LayoutsExtension() {
  static PJRT_Layouts_Extension extension = {BaseOf(PJRT_Extension_Type_Layouts),
                                             Destroy,
                                             Serialize,
                                             ClientDefault,
                                             BufferLayout,
                                             TopologyDefault,
                                             OutputLayouts,
                                             ParameterLayouts};
  return &extension.base;
}

}  // namespace reference
