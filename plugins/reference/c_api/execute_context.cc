// PJRT_ExecuteContext_*.
#include <memory>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/handles.h"
#include "runtime/execute_context.h"

namespace reference::c_api {

PJRT_Error* ExecuteContext_Create(PJRT_ExecuteContext_Create_Args* args) {
  return Call("PJRT_ExecuteContext_Create", args,
              [&] { args->context = new PJRT_ExecuteContext{std::make_shared<ExecuteContext>()}; });
}

PJRT_Error* ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args* args) {
  // Executions that use it keep its contents alive.
  return Call("PJRT_ExecuteContext_Destroy", args, [&] { delete args->context; });
}

}  // namespace reference::c_api
