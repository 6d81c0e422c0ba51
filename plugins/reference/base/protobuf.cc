#include "base/protobuf.h"

#include "base/error.h"

namespace reference {

namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kStartGroup = 3, kEndGroup = 4, kFixed32 = 5 };
constexpr uint32_t kLargestField = (1u << 29) - 1;
constexpr size_t kDeepestGroup = 100;

}  // namespace

void ProtoReader::Fail(const std::string& why) const {
  throw InvalidArgument("not a " + std::string(message_) + ": " + why + " at byte " + std::to_string(at_));
}

uint64_t ProtoReader::ReadVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == bytes_.size()) Fail("the bytes end inside of a number");
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  Fail("a number of more than ten bytes");
}

void ProtoReader::Skip(size_t bytes) {
  if (bytes > bytes_.size() - at_) Fail("the bytes end inside of a field");
  at_ += bytes;
}

void ProtoReader::SkipGroup(uint32_t field) {
  std::vector<uint32_t> open = {field};
  while (!open.empty()) {
    const uint64_t tag = ReadVarint();
    const uint64_t inner = tag >> 3;
    if (inner == 0 || inner > kLargestField) Fail("a field of no number");
    switch (tag & 7) {
      case kVarint:
        ReadVarint();
        break;
      case kFixed64:
        Skip(8);
        break;
      case kBytes:
        Skip(ReadVarint());
        break;
      case kStartGroup:
        if (open.size() == kDeepestGroup) Fail("groups too deep");
        open.push_back(static_cast<uint32_t>(inner));
        break;
      case kEndGroup:
        if (open.back() != inner) Fail("a group ends that has not begun");
        open.pop_back();
        break;
      case kFixed32:
        Skip(4);
        break;
      default:
        Fail("a field of no wire type");
    }
  }
}

bool ProtoReader::Next() {
  while (at_ < bytes_.size()) {
    const uint64_t tag = ReadVarint();
    if (tag >> 3 == 0 || tag >> 3 > kLargestField) Fail("a field of no number");
    field_ = static_cast<uint32_t>(tag >> 3);
    wire_type_ = static_cast<uint32_t>(tag & 7);
    switch (wire_type_) {
      case kVarint:
        varint_ = ReadVarint();
        return true;
      case kFixed64:
        Skip(8);
        return true;
      case kBytes: {
        const uint64_t size = ReadVarint();
        const size_t from = at_;
        Skip(size);
        payload_ = bytes_.substr(from, size);
        return true;
      }
      case kStartGroup:
        SkipGroup(field_);
        break;
      case kFixed32:
        Skip(4);
        return true;
      default:
        Fail(wire_type_ == kEndGroup ? "a group ends that has not begun" : "a field of no wire type");
    }
  }
  return false;
}

std::optional<int64_t> ProtoReader::Varint() const {
  if (wire_type_ != kVarint) return std::nullopt;
  return static_cast<int64_t>(varint_);
}

std::optional<std::string_view> ProtoReader::Bytes() const {
  if (wire_type_ != kBytes) return std::nullopt;
  return payload_;
}

void ProtoReader::AppendInts(std::vector<int64_t>& values) const {
  if (const auto value = Varint()) {
    values.push_back(*value);
  } else if (const auto packed = Bytes()) {
    ProtoReader reader(*packed, message_);
    while (reader.at_ < packed->size()) values.push_back(static_cast<int64_t>(reader.ReadVarint()));
  }
}

void ProtoWriter::Raw(uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

void ProtoWriter::Varint(uint32_t field, int64_t value) {
  Raw(uint64_t{field} << 3 | kVarint);
  Raw(static_cast<uint64_t>(value));
}

void ProtoWriter::Bytes(uint32_t field, std::string_view bytes) {
  Raw(uint64_t{field} << 3 | kBytes);
  Raw(bytes.size());
  bytes_ += bytes;
}

void ProtoWriter::Packed(uint32_t field, const std::vector<int64_t>& values) {
  ProtoWriter list;
  for (const int64_t value : values) list.Raw(static_cast<uint64_t>(value));
  Bytes(field, list.bytes_);
}

}  // namespace reference
