// Locations of an artifact, as text for messages.

#include "ir/bytecode_attributes.h"

namespace reference {

// Locations share their parts; only a few of them are visited, so that the text stays short.
std::string AttributeReader::Location(uint64_t index) {
  std::string out;
  for (int steps = 0; steps < 20; ++steps) {
    if (index >= container_.attributes.size()) {
      throw InvalidArgument("artifact: attribute " + std::to_string(index) + " of " +
                            std::to_string(container_.attributes.size()));
    }
    const Container::Entry& entry = container_.attributes[static_cast<size_t>(index)];
    if (!entry.own_encoding || container_.dialects[entry.dialect] != "builtin") return out;
    Cursor cursor = EntryCursor(entry, "location");
    uint64_t code = cursor.Varint();
    auto add = [&](AttributeNode& name) {
      if (const std::string* text = name.value.get<std::string>()) {
        if (!out.empty()) out += " at ";
        out += text->substr(0, 120);
      }
    };
    if (code == 14) {  // a name, and its location
      if (out.empty()) add(AttributeAt(cursor)); else AttributeAt(cursor);
      index = cursor.Varint();
    } else if (code == 10) {  // the called place
      index = cursor.Varint();
    } else if (code == 12 || code == 13) {  // the first of several
      if (cursor.Count() == 0) return out;
      index = cursor.Varint();
    } else {
      if (code == 11) {
        add(AttributeAt(cursor));
        uint64_t line = cursor.Varint();
        out += ":" + std::to_string(line) + ":" + std::to_string(cursor.Varint());
      } else if (code == 22) {
        add(AttributeAt(cursor));
        for (uint64_t n = cursor.Count(), i = 0; i < n && i < 2; ++i) out += ":" + std::to_string(cursor.Varint());
      }
      return out;
    }
  }
  return out;
}

}  // namespace reference
