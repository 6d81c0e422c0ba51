// AbiVersion: lets a runtime determine whether it can load an executable.
#include <memory>
#include <string_view>

#include "c_api/extensions/extension.h"
#include "c_api/platform.h"
#include "runtime/bytes.h"
#include "runtime/executable.h"
#include "base/protobuf.h"

namespace reference {
namespace {

struct AbiVersion {
  uint64_t platform = 0;
  std::string version;

  // Changes when earlier executables can no longer be loaded.
  static AbiVersion Own() { return {Hash(kPlatformName), "1"}; }

  // A message with the platform and the version.
  std::string Serialize() const {
    ProtoWriter proto;
    proto.Varint(1, static_cast<int64_t>(platform));
    proto.Bytes(2, version);
    return proto.bytes();
  }
  static AbiVersion Parse(std::string_view bytes, const char* message) {
    AbiVersion result;
    ProtoReader reader(bytes, message);
    bool has_platform = false;
    while (reader.Next()) {
      if (reader.field() == 1) {
        const auto value = reader.Varint();
        has_platform = value.has_value();
        result.platform = static_cast<uint64_t>(value.value_or(0));
      }
      if (reader.field() == 2) result.version = reader.Bytes().value_or(std::string_view());
    }
    if (!has_platform || result.version.empty()) {
      throw InvalidArgument(std::string(message) + ": there is no platform or no version in it");
    }
    return result;
  }
  void CheckCompatible(const AbiVersion& other) const {
    if (platform != other.platform) throw FailedPrecondition("the other version is of another platform");
    if (version != other.version) {
      throw FailedPrecondition("the other version is '" + other.version + "', this one is '" + version + "'");
    }
  }
};

}  // namespace
}  // namespace reference

struct PJRT_RuntimeAbiVersion {
  reference::AbiVersion version;
};

struct PJRT_ExecutableAbiVersion {
  reference::AbiVersion version;
};

struct PJRT_SerializedProto {
  std::string bytes;
};

namespace reference {
namespace {

template <typename Version>
Version* Make(AbiVersion version) {
  return std::make_unique<Version>(Version{std::move(version)}).release();
}

template <typename Args>
void WriteProto(Args* args) {
  auto proto = std::make_unique<PJRT_SerializedProto>();
  proto->bytes = Given(args->abi_version, "abi_version").version.Serialize();
  args->serialized_proto = proto->bytes.data();
  args->serialized_proto_size = proto->bytes.size();
  args->serialized_proto_deleter = [](PJRT_SerializedProto* holder) { delete holder; };
  args->serialized_proto_holder = proto.release();
}

template <typename Args>
std::string_view ProtoOf(Args* args) {
  return {GivenArray(args->serialized_proto, args->serialized_proto_size, "serialized_proto"),
          args->serialized_proto_size};
}

PJRT_Error* ClientVersion(PJRT_Client_RuntimeAbiVersion_Args* args) {
  return CALL_EXTENSION(PJRT_Client_RuntimeAbiVersion, args, [&] {
    Given(args->client, "client");
    args->abi_version = Make<PJRT_RuntimeAbiVersion>(AbiVersion::Own());
  });
}

PJRT_Error* ExecutableVersion(PJRT_Executable_GetAbiVersion_Args* args) {
  return CALL_EXTENSION(PJRT_Executable_GetAbiVersion, args, [&] {
    Given(args->executable, "executable");
    args->abi_version = Make<PJRT_ExecutableAbiVersion>(AbiVersion::Own());
  });
}

PJRT_Error* RuntimeDestroy(PJRT_RuntimeAbiVersion_Destroy_Args* args) {
  return CALL_EXTENSION(PJRT_RuntimeAbiVersion_Destroy, args, [&] { delete args->abi_version; });
}

PJRT_Error* ExecutableDestroy(PJRT_ExecutableAbiVersion_Destroy_Args* args) {
  return CALL_EXTENSION(PJRT_ExecutableAbiVersion_Destroy, args, [&] { delete args->abi_version; });
}

PJRT_Error* CompatibleWithRuntime(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args* args) {
  return CALL_EXTENSION(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime, args, [&] {
    Given(args->abi_version, "abi_version")
        .version.CheckCompatible(Given(args->other_abi_version, "other_abi_version").version);
  });
}

PJRT_Error* CompatibleWithExecutable(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args* args) {
  return CALL_EXTENSION(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable, args, [&] {
    Given(args->abi_version, "abi_version")
        .version.CheckCompatible(Given(args->executable_abi_version, "executable_abi_version").version);
  });
}

PJRT_Error* RuntimeToProto(PJRT_RuntimeAbiVersion_ToProto_Args* args) {
  return CALL_EXTENSION(PJRT_RuntimeAbiVersion_ToProto, args, [&] { WriteProto(args); });
}

PJRT_Error* ExecutableToProto(PJRT_ExecutableAbiVersion_ToProto_Args* args) {
  return CALL_EXTENSION(PJRT_ExecutableAbiVersion_ToProto, args, [&] { WriteProto(args); });
}

PJRT_Error* RuntimePlatform(PJRT_RuntimeAbiVersion_PlatformId_Args* args) {
  return CALL_EXTENSION(PJRT_RuntimeAbiVersion_PlatformId, args,
                        [&] { args->platform_id = Given(args->abi_version, "abi_version").version.platform; });
}

PJRT_Error* ExecutablePlatform(PJRT_ExecutableAbiVersion_PlatformId_Args* args) {
  return CALL_EXTENSION(PJRT_ExecutableAbiVersion_PlatformId, args,
                        [&] { args->platform_id = Given(args->abi_version, "abi_version").version.platform; });
}

PJRT_Error* RuntimeFromProto(PJRT_RuntimeAbiVersion_FromProto_Args* args) {
  return CALL_EXTENSION(PJRT_RuntimeAbiVersion_FromProto, args, [&] {
    args->abi_version = Make<PJRT_RuntimeAbiVersion>(AbiVersion::Parse(ProtoOf(args), "the version of a runtime"));
  });
}

PJRT_Error* ExecutableFromProto(PJRT_ExecutableAbiVersion_FromProto_Args* args) {
  return CALL_EXTENSION(PJRT_ExecutableAbiVersion_FromProto, args, [&] {
    args->abi_version =
        Make<PJRT_ExecutableAbiVersion>(AbiVersion::Parse(ProtoOf(args), "the version of an executable"));
  });
}

}  // namespace

PJRT_Extension_Base* AbiVersionExtension() {
  static PJRT_AbiVersion_Extension extension = {BaseOf(PJRT_Extension_Type_AbiVersion),
                                                ClientVersion,
                                                ExecutableVersion,
                                                RuntimeDestroy,
                                                CompatibleWithRuntime,
                                                CompatibleWithExecutable,
                                                RuntimeToProto,
                                                RuntimePlatform,
                                                ExecutableDestroy,
                                                ExecutableToProto,
                                                ExecutablePlatform,
                                                RuntimeFromProto,
                                                ExecutableFromProto};
  return &extension.base;
}

}  // namespace reference
