#include "c_api/error.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/version.h"

namespace reference {

namespace {

struct ErrorHandle : PJRT_Error {
  Error error;

  explicit ErrorHandle(Error error);
};

const ErrorHandle* Handle(const PJRT_Error* error) { return static_cast<const ErrorHandle*>(error); }

void Visit(const Error& error, PJRT_Error_PayloadVisitor visitor, void* user_arg) {
  for (const auto& [key, value] : error.payloads) visitor(key.data(), key.size(), value.data(), value.size(), user_arg);
}

const PJRT_Error_FunctionTable kFunctions = {
    PJRT_Error_FunctionTable_STRUCT_SIZE,
    sizeof(PJRT_Error),
    nullptr,
    [](PJRT_Error* error) { delete static_cast<ErrorHandle*>(error); },
    [](const PJRT_Error* error, const char** message, size_t* message_size) {
      *message = Handle(error)->error.message.data();
      *message_size = Handle(error)->error.message.size();
    },
    [](const PJRT_Error* error) { return static_cast<PJRT_Error_Code>(Handle(error)->error.code); },
    [](const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* user_arg) {
      if (visitor != nullptr) Visit(Handle(error)->error, visitor, user_arg);
    },
};

// Length of the UTF-8 sequence at `at`; 0 if there is none.
size_t SequenceLength(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  size_t length;
  unsigned least = 0x80, most = 0xbf;  // of the second byte
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) least = 0xa0;
    if (first == 0xed) most = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) least = 0x90;
    if (first == 0xf4) most = 0x8f;
  } else {
    return 0;
  }
  if (byte(at + 1) < least || byte(at + 1) > most) return 0;
  for (size_t i = 2; i < length; i++) {
    if (byte(at + i) < 0x80 || byte(at + i) > 0xbf) return 0;
  }
  return length;
}

// Programs and options are quoted in messages, whatever their bytes.
std::string Readable(std::string text) {
  bool clean = !text.empty();
  for (size_t i = 0; clean && i < text.size();) {
    const size_t length = text[i] == '\0' ? 0 : SequenceLength(text, i);
    clean = length != 0;
    i += length;
  }
  if (clean) return text;
  if (text.empty()) return "an error without a message";
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t length = text[i] == '\0' ? 0 : SequenceLength(text, i);
    if (length == 0) {
      result += "\xef\xbf\xbd";
      i++;
    } else {
      result.append(text, i, length);
      i += length;
    }
  }
  return result;
}

ErrorHandle::ErrorHandle(Error from) : PJRT_Error{ApiMinor() >= 107 ? &kFunctions : nullptr}, error(std::move(from)) {
  error.message = Readable(std::move(error.message));
  const int code = static_cast<int>(error.code);
  if (code < 1 || code > 16) error.code = Code::kUnknown;
}

}  // namespace

PJRT_Error* MakeError(Error error) { return new ErrorHandle(std::move(error)); }

PJRT_Error* MakeError(const Error* error) { return error == nullptr ? nullptr : MakeError(*error); }

PJRT_Error* MakeCaughtError() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return MakeError(error);
  } catch (const std::bad_alloc&) {
    return MakeError({Code::kResourceExhausted, "out of memory"});
  } catch (const std::length_error& error) {
    return MakeError({Code::kResourceExhausted, std::string("too large: ") + error.what()});
  } catch (const std::exception& error) {
    return MakeError({Code::kInternal, error.what()});
  } catch (...) {
    return MakeError({Code::kInternal, "an exception of an unknown kind"});
  }
}

const Error& ErrorOf(const PJRT_Error* error) { return Handle(error)->error; }

Error TakeError(PJRT_Error* error) {
  Error taken = ErrorOf(error);
  delete static_cast<ErrorHandle*>(error);
  return taken;
}

PJRT_CallbackError kCallbackError = [](PJRT_Error_Code code, const char* message, size_t message_size) {
  return MakeError({static_cast<Code>(code), message == nullptr ? std::string() : std::string(message, message_size)});
};

std::optional<Error> ErrorFromCaller(int code, const char* message, size_t message_size) {
  if (code == PJRT_Error_Code_OK) return std::nullopt;
  if (!KnownErrorCode(code)) throw InvalidArgument("there is no error code " + std::to_string(code));
  return Error(static_cast<Code>(code), message == nullptr ? std::string() : std::string(message, message_size));
}

namespace c_api {

void Error_Destroy(PJRT_Error_Destroy_Args* args) {
  if (args == nullptr || !HAS(args, error)) return;
  delete static_cast<ErrorHandle*>(args->error);
}

void Error_Message(PJRT_Error_Message_Args* args) {
  if (args == nullptr || !HAS(args, message_size)) return;
  const bool known = args->error != nullptr;
  args->message = known ? Handle(args->error)->error.message.data() : "";
  args->message_size = known ? Handle(args->error)->error.message.size() : 0;
}

PJRT_Error* Error_GetCode(PJRT_Error_GetCode_Args* args) {
  return Call("PJRT_Error_GetCode", args, [&] {
    Given(args->error, "error");
    args->code = static_cast<PJRT_Error_Code>(Handle(args->error)->error.code);
  });
}

PJRT_Error* Error_ForEachPayload(PJRT_Error_ForEachPayload_Args* args) {
  return Call("PJRT_Error_ForEachPayload", args, [&] {
    Given(args->error, "error");
    if (args->visitor == nullptr) throw InvalidArgument("visitor is null");
    Visit(Handle(args->error)->error, args->visitor, args->user_arg);
  });
}

}  // namespace c_api

}  // namespace reference
