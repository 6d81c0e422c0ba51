// The wire format of protocol buffers, as far as compile options, device assignments, shapes and HLO modules need it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reference {

// Iterates over the fields of a message. Throws InvalidArgument, naming the message, if the bytes are not one.
class ProtoReader {
 public:
  ProtoReader(std::string_view bytes, const char* message) : bytes_(bytes), message_(message) {}

  // Moves to the next field; false at the end. Groups are skipped.
  bool Next();
  uint32_t field() const { return field_; }

  // The value of the field: nothing if it has another wire type, as for an unknown field.
  std::optional<int64_t> Varint() const;
  std::optional<std::string_view> Bytes() const;
  // Appends to a repeated field of integers, packed or not.
  void AppendInts(std::vector<int64_t>& values) const;

 private:
  uint64_t ReadVarint();
  void Skip(size_t bytes);
  void SkipGroup(uint32_t field);
  [[noreturn]] void Fail(const std::string& why) const;

  std::string_view bytes_;
  const char* message_;
  size_t at_ = 0;
  uint32_t field_ = 0;
  uint32_t wire_type_ = 0;
  uint64_t varint_ = 0;
  std::string_view payload_;
};

class ProtoWriter {
 public:
  void Varint(uint32_t field, int64_t value);
  void Bytes(uint32_t field, std::string_view bytes);
  void Packed(uint32_t field, const std::vector<int64_t>& values);
  const std::string& bytes() const { return bytes_; }

 private:
  void Raw(uint64_t value);

  std::string bytes_;
};

}  // namespace reference
