// Errors of the reference plugin: thrown inside, turned into a PJRT_Error at the C boundary or kept in an event.
#pragma once

#include <exception>
#include <map>
#include <string>
#include <utility>

namespace reference {

// The values of PJRT_Error_Code.
enum class Code : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

struct Error : std::exception {
  Code code;
  std::string message;
  // Payloads for PJRT_Error_ForEachPayload.
  std::map<std::string, std::string> payloads;

  Error(Code code, std::string message) : code(code), message(std::move(message)) {}
  const char* what() const noexcept override { return message.c_str(); }
};

inline Error InvalidArgument(std::string message) { return {Code::kInvalidArgument, std::move(message)}; }
inline Error Unimplemented(std::string message) { return {Code::kUnimplemented, std::move(message)}; }
inline Error FailedPrecondition(std::string message) { return {Code::kFailedPrecondition, std::move(message)}; }
inline Error NotFound(std::string message) { return {Code::kNotFound, std::move(message)}; }
inline Error Internal(std::string message) { return {Code::kInternal, std::move(message)}; }
inline Error OutOfRange(std::string message) { return {Code::kOutOfRange, std::move(message)}; }

}  // namespace reference
