#include "ir/bytecode_container.h"

#include <array>
#include <optional>

#include "ir/ir.h"

namespace reference {
namespace {

constexpr std::string_view kMagic("ML\xef" "R", 4);
constexpr std::string_view kProducer = "StableHLO_v";

enum SectionId : uint8_t {
  kStrings, kDialects, kEntries, kEntryIndex, kOperations, kResources, kResourceIndex, kDialectVersion, kProperties,
  kSectionCount
};
constexpr const char* kSectionNames[kSectionCount] = {
    "strings", "dialects", "attributes and types", "index of attributes and types", "operations", "resources",
    "index of resources", "dialect version", "properties"};

std::string Text(const StablehloVersion& version) {
  return std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]);
}

std::string Printable(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 60)) out += c >= ' ' && c < 0x7f ? c : '?';
  return out;
}

StablehloVersion ParseVersion(std::string_view producer) {
  auto fail = [&]() -> StablehloVersion {
    throw InvalidArgument("not a StableHLO portable artifact: written by \"" + Printable(producer) + "\"");
  };
  if (producer.substr(0, kProducer.size()) != kProducer) return fail();
  StablehloVersion version = {};
  std::string_view rest = producer.substr(kProducer.size());
  for (size_t i = 0; i < 3; ++i) {
    size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    if (digits == 0 || digits > 9) return fail();
    for (char c : rest.substr(0, digits)) version[i] = version[i] * 10 + (c - '0');
    rest.remove_prefix(digits);
    if (i == 2 ? !rest.empty() : rest.substr(0, 1) != ".") return fail();
    if (i < 2) rest.remove_prefix(1);
  }
  return version;
}

class ContainerReader {
 public:
  explicit ContainerReader(std::string_view bytes) { c_.bytes = bytes; }

  Container Read() {
    Cursor cursor(c_.bytes, 0, c_.bytes.size(), "header");
    if (c_.bytes.substr(0, kMagic.size()) != kMagic) cursor.Fail("not MLIR bytecode");
    cursor.Take(kMagic.size());
    c_.format = cursor.Varint();
    if (c_.format > kFormatNewest) {
      cursor.Fail("bytecode format " + std::to_string(c_.format) + "; this plugin reads formats up to " +
                  std::to_string(kFormatNewest));
    }
    c_.version = ParseVersion(cursor.Terminated());
    if (c_.version > kCurrentStablehloVersion || c_.version < kMinimumStablehloVersion) {
      throw InvalidArgument("the artifact is of StableHLO " + Text(c_.version) + "; this plugin reads versions " +
                            Text(kMinimumStablehloVersion) + " to " + Text(kCurrentStablehloVersion));
    }
    while (!cursor.AtEnd()) {
      Section section = ReadSection(cursor);
      if (section.id == kDialectVersion) cursor.Fail("a dialect version outside its dialect");
      if (sections_[section.id]) cursor.Fail(std::string("a second section of ") + kSectionNames[section.id]);
      sections_[section.id] = section.data;
    }
    ReadStrings(Need(kStrings));
    if (c_.format >= kFormatProperties) ReadProperties(Need(kProperties));
    ReadDialects(Need(kDialects));
    if (sections_[kResourceIndex]) ReadResources(*sections_[kResourceIndex], Need(kResources));
    ReadEntryIndex(Need(kEntryIndex), Need(kEntries));
    c_.operations = Need(kOperations);
    return std::move(c_);
  }

 private:
  Cursor Need(SectionId id) const {
    if (!sections_[id]) throw InvalidArgument(std::string("artifact without a section of ") + kSectionNames[id]);
    return *sections_[id];
  }

  std::string_view String(Cursor& cursor) { return c_.strings[cursor.Index(c_.strings.size(), "string")]; }

  // Sizes are in reverse order of the strings, the bytes in order.
  void ReadStrings(Cursor cursor) {
    c_.strings.resize(cursor.Count());
    std::vector<uint64_t> sizes(c_.strings.size());
    for (uint64_t& size : sizes) {
      size = cursor.Varint();
      if (size == 0) cursor.Fail("a string without its end");
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      std::string_view text = cursor.Take(sizes[sizes.size() - 1 - i]);
      if (text.back() != '\0') cursor.Fail("a string without its end");
      c_.strings[i] = text.substr(0, text.size() - 1);
    }
    cursor.ExpectEnd();
  }

  void ReadProperties(Cursor cursor) {
    uint64_t count = cursor.Count();
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t size = cursor.Varint();
      cursor.Take(size);
      c_.properties.push_back({cursor.position() - static_cast<size_t>(size), cursor.position()});
    }
    cursor.ExpectEnd();
  }

  void ReadDialects(Cursor cursor) {
    uint64_t count = cursor.Count();
    for (uint64_t i = 0; i < count; ++i) {
      Cursor::Flagged name{};
      if (c_.format >= kFormatDialectVersions) {
        name = cursor.FlaggedVarint();
      } else {
        name.value = cursor.Varint();
      }
      c_.dialects.push_back(c_.strings[cursor.CheckedIndex(name.value, c_.strings.size(), "string")]);
      if (name.flag && ReadSection(cursor).id != kDialectVersion) cursor.Fail("a dialect version was expected");
    }
    std::optional<uint64_t> total;
    if (c_.format >= kFormatOptionalArgumentLocations) total = cursor.Varint();
    while (!cursor.AtEnd()) {
      std::string_view dialect = c_.dialects[cursor.Index(c_.dialects.size(), "dialect")];
      uint64_t names = cursor.Count();
      for (uint64_t i = 0; i < names; ++i) {
        Cursor::Flagged name{0, true};
        if (c_.format >= kFormatProperties) {
          name = cursor.FlaggedVarint();
        } else {
          name.value = cursor.Varint();
        }
        c_.op_names.push_back({dialect, c_.strings[cursor.CheckedIndex(name.value, c_.strings.size(), "string")],
                               name.flag});
      }
    }
    if (total && *total != c_.op_names.size()) cursor.Fail("the names of ops do not add up");
  }

  // Groups by owner: external ones, then those of dialects; only the blobs of the latter can be referenced.
  void ReadResources(Cursor index, Cursor data) {
    auto read_group = [&](bool of_dialect) {
      uint64_t count = index.Count();
      for (uint64_t i = 0; i < count; ++i) {
        String(index);
        uint64_t size = index.Varint();
        uint8_t kind = index.Byte();
        if (kind > 2) index.Fail("a resource of kind " + std::to_string(kind));
        Cursor body = data.Inside(size, kSectionNames[kResources]);
        std::string_view blob;
        if (size != 0 && kind == 0) {
          uint64_t alignment = body.Varint(), length = body.Varint();
          body.Align(alignment);
          blob = body.Take(length);
          body.ExpectEnd();
        }
        if (of_dialect) c_.resources.push_back(blob);
      }
    };
    uint64_t groups = index.Count();
    for (uint64_t i = 0; i < groups; ++i) {
      String(index);
      read_group(false);
    }
    while (!index.AtEnd()) {
      index.Index(c_.dialects.size(), "dialect");
      read_group(true);
    }
    data.ExpectEnd();
  }

  void ReadEntryIndex(Cursor index, Cursor data) {
    uint64_t attributes = index.Varint(), types = index.Varint();
    auto read_table = [&](uint64_t count, std::vector<Container::Entry>& out) {
      index.CheckedCount(count);
      while (out.size() < count) {
        size_t dialect = index.Index(c_.dialects.size(), "dialect");
        uint64_t entries = index.Count();
        if (entries > count - out.size()) index.Fail("more entries than announced");
        for (uint64_t i = 0; i < entries; ++i) {
          Cursor::Flagged size = index.FlaggedVarint();
          size_t begin = data.position();
          data.Take(size.value);
          out.push_back({dialect, size.flag, begin, data.position()});
        }
      }
    };
    read_table(attributes, c_.attributes);
    read_table(types, c_.types);
    index.ExpectEnd();
    data.ExpectEnd();
  }

  Container c_;
  std::array<std::optional<Cursor>, kSectionCount> sections_;
};

}  // namespace

std::string Container::OpName::Full() const {
  // Names may be as long as a file, and many ops may share one.
  std::string out(dialect.substr(0, 100));
  if (!name.empty()) out.append(".").append(name.substr(0, 100));
  return out;
}

std::string Container::VersionText() const { return Text(version); }

Section ReadSection(Cursor& cursor) {
  uint8_t head = cursor.Byte();
  uint64_t length = cursor.Varint();
  if (head & 0x80) cursor.Align(cursor.Varint());
  uint8_t id = head & 0x7f;
  if (id >= kSectionCount) cursor.Fail("a section of the unknown kind " + std::to_string(id));
  return {id, cursor.Inside(length, kSectionNames[id])};
}

Container ReadContainer(std::string_view bytes) { return ContainerReader(bytes).Read(); }

bool IsBytecode(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

}  // namespace reference
