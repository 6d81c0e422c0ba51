// Writes and reads the byte strings that callers pass back: topologies and executables. Little-endian, with a magic
// number and a checksum, so that truncated or damaged ones are rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace reference {

// FNV-1a.
inline uint64_t Hash(std::string_view bytes, uint64_t seed = 0xcbf29ce484222325u) {
  for (const char byte : bytes) seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return seed;
}

class ByteWriter {
 public:
  explicit ByteWriter(std::string_view magic) : bytes_(magic) {}

  void Number(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xff);
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  std::string Finish() && {
    Number(Hash(bytes_));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  // Throws InvalidArgument with what the bytes should have been.
  ByteReader(std::string_view bytes, std::string_view magic, std::string what) : bytes_(bytes), what_(std::move(what)) {
    if (bytes_.size() < magic.size() + 8 || bytes_.substr(0, magic.size()) != magic) Fail("they begin otherwise");
    at_ = bytes_.size() - 8;
    if (Number() != Hash(bytes_.substr(0, bytes_.size() - 8))) Fail("the checksum is wrong");
    bytes_.remove_suffix(8);
    at_ = magic.size();
  }

  uint64_t Number() {
    if (bytes_.size() - at_ < 8) Fail("they end too early");
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << 8 * i;
    at_ += 8;
    return value;
  }
  std::string_view Text() {
    const uint64_t size = Number();
    if (size > bytes_.size() - at_) Fail("they end too early");
    const std::string_view text = bytes_.substr(at_, size);
    at_ += size;
    return text;
  }
  void End() const {
    if (at_ != bytes_.size()) Fail("there is more behind");
  }
  [[noreturn]] void Fail(const std::string& why) const {
    throw InvalidArgument("these " + std::to_string(bytes_.size()) + " bytes are no " + what_ + " of this plugin: " + why);
  }

 private:
  std::string_view bytes_;
  std::string what_;
  size_t at_ = 0;
};

}  // namespace reference
