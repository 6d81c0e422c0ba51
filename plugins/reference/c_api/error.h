// Errors at the C boundary.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/error.h"
#include "pjrt_c_api.h"

namespace reference {

// A new error for the caller to destroy. Bytes of the message that are not UTF-8 are replaced.
PJRT_Error* MakeError(Error error);
// The same of an event: null for null.
PJRT_Error* MakeError(const Error* error);
// The error that is being handled, for catch (...).
PJRT_Error* MakeCaughtError() noexcept;

// The contents of an error of this plugin.
const Error& ErrorOf(const PJRT_Error* error);
// Takes an error that a callback of the caller created with kCallbackError, and destroys it.
Error TakeError(PJRT_Error* error);

// Creates errors for callbacks of the caller: the callback_error of their arguments.
extern PJRT_CallbackError kCallbackError;

// An error with the code and the message of a caller; nothing for code OK. Throws InvalidArgument for an unknown code.
std::optional<Error> ErrorFromCaller(int code, const char* message, size_t message_size);

}  // namespace reference
