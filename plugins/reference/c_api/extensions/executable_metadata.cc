// ExecutableMetadata: identification of an executable, as a message with the fingerprint in its first field.
#include <memory>

#include "c_api/extensions/extension.h"
#include "runtime/executable.h"
#include "base/protobuf.h"

namespace reference {
namespace {

struct Metadata : PJRT_ExecutableMetadata {
  std::string bytes;
};

// These arguments have no struct_size.
PJRT_Error* Get(PJRT_ExecutableMetadata_GetExecutableMetadata_Args* args) {
  try {
    const PJRT_Executable& executable = Given(Given(args, "args").executable, "executable");
    ProtoWriter proto;
    proto.Bytes(1, executable.executable->fingerprint());
    auto metadata = std::make_unique<Metadata>();
    metadata->bytes = proto.bytes();
    metadata->serialized_metadata = metadata->bytes.data();
    metadata->serialized_metadata_size = metadata->bytes.size();
    args->metadata = metadata.release();
    return nullptr;
  } catch (...) {
    return MakeCaughtError();
  }
}

void Destroy(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args* args) {
  if (args != nullptr) delete static_cast<Metadata*>(args->metadata);
}

}  // namespace

PJRT_Extension_Base* ExecutableMetadataExtension() {
  static PJRT_ExecutableMetadata_Extension extension = {BaseOf(PJRT_Extension_Type_ExecutableMetadata), Get, Destroy};
  return &extension.base;
}

}  // namespace reference
