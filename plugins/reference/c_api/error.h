// Errors on their way over the C boundary.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/error.h"
#include "pjrt_c_api.h"

namespace reference {

// A new error for the caller to destroy. What is not UTF-8 in the message is replaced.
PJRT_Error* MakeError(Error error);
// The same of an event: null for null.
PJRT_Error* MakeError(const Error* error);
// The error that is being handled, for catch (...).
PJRT_Error* MakeCaughtError() noexcept;

// What an error of this plugin says.
const Error& ErrorOf(const PJRT_Error* error);
// Takes an error that a callback of the caller made with kCallbackError, and destroys it.
Error TakeError(PJRT_Error* error);

// Makes errors for callbacks of the caller: the callback_error of their arguments.
extern PJRT_CallbackError kCallbackError;

// An error out of the code and the message of a caller; nothing for code OK. Throws InvalidArgument for a code that there
// is not.
std::optional<Error> ErrorFromCaller(int code, const char* message, size_t message_size);

}  // namespace reference
