// The container of MLIR bytecode: header, sections, and tables of strings, names, attributes, types, property records
// and resources, not yet decoded. Independent of tensors. Format versions 0 to 6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/bytecode_cursor.h"
#include "ir/stablehlo_version.h"

namespace reference {

// Bytecode format versions that introduced a field.
constexpr uint64_t kFormatDialectVersions = 1;
constexpr uint64_t kFormatNestedSections = 2;
constexpr uint64_t kFormatUseLists = 3;
constexpr uint64_t kFormatOptionalArgumentLocations = 4;
constexpr uint64_t kFormatProperties = 5;
constexpr uint64_t kFormatNewest = 6;

// Everything here refers to the artifact's bytes, which must outlive it.
struct Container {
  struct OpName {
    std::string_view dialect;
    std::string_view name;
    bool registered;
    // "vhlo.add_v1".
    std::string Full() const;
  };
  // An attribute or a type.
  struct Entry {
    size_t dialect;
    bool own_encoding;  // else text
    size_t begin;
    size_t end;
  };
  struct Span {
    size_t begin;
    size_t end;
  };

  std::string_view bytes;
  uint64_t format = 0;
  StablehloVersion version = {};
  std::vector<std::string_view> strings;
  std::vector<std::string_view> dialects;
  std::vector<OpName> op_names;
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::vector<Span> properties;
  std::vector<std::string_view> resources;  // bytes of the dialects' blobs; empty for others
  Cursor operations;

  std::string VersionText() const;
};

// Reads the tables. Rejects producers other than StableHLO and unsupported versions.
Container ReadContainer(std::string_view bytes);

// A section at the cursor: its id and its data.
struct Section {
  uint8_t id;
  Cursor data;
};
Section ReadSection(Cursor& cursor);

}  // namespace reference
