// A read position in the bytes of an artifact. Every read is checked; an invalid one throws InvalidArgument with the
// offset from the artifact's first byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace reference {

class Cursor {
 public:
  Cursor() = default;
  // Reads artifact[begin, end); `what` names the part in messages and must outlive the cursor.
  Cursor(std::string_view artifact, size_t begin, size_t end, const char* what)
      : artifact_(artifact), position_(begin), end_(end), what_(what) {}

  bool AtEnd() const { return position_ >= end_; }
  size_t position() const { return position_; }
  size_t end() const { return end_; }
  size_t left() const { return end_ - position_; }

  [[noreturn]] void Fail(const std::string& message) const {
    throw InvalidArgument("artifact, byte " + std::to_string(position_) + " (" + what_ + "): " + message);
  }

  std::string_view Take(uint64_t count) {
    if (count > left()) Fail(std::to_string(count) + " bytes wanted, " + std::to_string(left()) + " left");
    position_ += static_cast<size_t>(count);
    return artifact_.substr(position_ - static_cast<size_t>(count), static_cast<size_t>(count));
  }

  uint8_t Byte() { return static_cast<uint8_t>(Take(1)[0]); }

  // Unsigned: the trailing zero bits of the first byte count the bytes that follow it.
  uint64_t Varint() {
    uint8_t first = Byte();
    if (first & 1) return first >> 1;
    int extra = 0;
    while (extra < 8 && !(first >> extra & 1)) ++extra;
    std::string_view rest = Take(static_cast<uint64_t>(extra));
    uint64_t word = extra == 8 ? 0 : first;
    for (int i = 0; i < extra; ++i) {
      int shift = extra == 8 ? 8 * i : 8 * (i + 1);
      word |= static_cast<uint64_t>(static_cast<uint8_t>(rest[static_cast<size_t>(i)])) << shift;
    }
    return extra == 8 ? word : word >> (extra + 1);
  }

  // Zigzag.
  int64_t Signed() {
    uint64_t u = Varint();
    return static_cast<int64_t>((u >> 1) ^ (~(u & 1) + 1));
  }

  struct Flagged {
    uint64_t value;
    bool flag;
  };
  Flagged FlaggedVarint() {
    uint64_t u = Varint();
    return {u >> 1, (u & 1) != 0};
  }

  // A count of items that take at least one byte each.
  uint64_t Count() { return CheckedCount(Varint()); }
  uint64_t CheckedCount(uint64_t count) const {
    if (count > left()) Fail("a count of " + std::to_string(count) + " with " + std::to_string(left()) + " bytes left");
    return count;
  }

  // An index into a table of `size` entries.
  size_t Index(size_t size, const char* table) { return CheckedIndex(Varint(), size, table); }
  size_t CheckedIndex(uint64_t index, size_t size, const char* table) const {
    if (index >= size) Fail(std::string(table) + " " + std::to_string(index) + " of " + std::to_string(size));
    return static_cast<size_t>(index);
  }

  // Up to a NUL, which is skipped.
  std::string_view Terminated() {
    size_t stop = artifact_.substr(0, end_).find('\0', position_);
    if (stop == std::string_view::npos) Fail("a string without its end");
    std::string_view text = Take(stop - position_);
    Take(1);
    return text;
  }

  // Skips the padding up to a multiple of `alignment`, counted from the first byte of the artifact.
  void Align(uint64_t alignment) {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) Fail("alignment " + std::to_string(alignment));
    while (position_ & (alignment - 1)) {
      if (Byte() != 0xCB) Fail("a padding byte that is not CB");
    }
  }

  // The last item taken, as a cursor of its own.
  Cursor Inside(uint64_t count, const char* what) {
    Take(count);
    return Cursor(artifact_, position_ - static_cast<size_t>(count), position_, what);
  }

  void ExpectEnd() const {
    if (!AtEnd()) Fail(std::to_string(left()) + " bytes too many");
  }

 private:
  std::string_view artifact_;
  size_t position_ = 0;
  size_t end_ = 0;
  const char* what_ = "";
};

}  // namespace reference
