// FFI: types, data of execute contexts, and handlers of custom calls.
#include "c_api/extensions/extension.h"
#include "runtime/custom_call.h"

namespace reference {
namespace {

PJRT_Error* TypeRegister(PJRT_FFI_Type_Register_Args* args) {
  return CALL_EXTENSION(PJRT_FFI_Type_Register, args, [&] {
    const std::string name = GivenText(args->type_name, args->type_name_size, "type_name");
    const auto deleter = args->type_info == nullptr ? nullptr : args->type_info->deleter;
    args->type_id = RegisterDataType(name, args->type_id, deleter);
  });
}

PJRT_Error* UserDataAdd(PJRT_FFI_UserData_Add_Args* args) {
  return CALL_EXTENSION(PJRT_FFI_UserData_Add, args, [&] {
    Given(args->context, "context").context->Add(args->user_data.type_id, args->user_data.data);
  });
}

PJRT_Error* RegisterHandler(PJRT_FFI_Register_Handler_Args* args) {
  return CALL_EXTENSION(PJRT_FFI_Register_Handler, args, [&] {
    RegisterCustomCall(GivenText(args->target_name, args->target_name_size, "target_name"),
                       GivenText(args->platform_name, args->platform_name_size, "platform_name"),
                       reinterpret_cast<ffi::Handler*>(args->handler));
  });
}

}  // namespace

PJRT_Extension_Base* FfiExtension() {
  static PJRT_FFI_Extension extension = {BaseOf(PJRT_Extension_Type_FFI), TypeRegister, UserDataAdd, RegisterHandler};
  return &extension.base;
}

}  // namespace reference
