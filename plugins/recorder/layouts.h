// What the recorder knows of the C API, as data: generated from the layout table by tools/recorder.
#ifndef PJRT_RECORDER_LAYOUTS_H_
#define PJRT_RECORDER_LAYOUTS_H_

#include <cstdint>

namespace recorder {

/** How the memory behind a field is found. */
enum FieldKind : uint8_t {
  kArray,           // so many elements
  kTerminated,      // a text that ends in a NUL
  kStruct,          // one struct
  kStructs,         // so many structs, one behind the other
  kStructPointers,  // so many pointers to structs
  kInline,          // a struct in the struct
  kLists,           // so many pointers to lists of one length
  kTexts,           // so many pointers to characters, with a length for each
};

enum FieldFlag : uint8_t {
  kOut = 1,         // the call writes it
  kGiven = 2,       // into memory that the caller gives
  kHostData = 4,    // elements of arrays
};

/** A count in the same struct: `bytes` wide at `at`; at < 0: none. `list` > 0: at is a list, with its own count there. */
struct Counter {
  int16_t at;
  uint8_t bytes;
  int16_t list;
};

struct Field {
  const char* name;
  FieldKind kind;
  uint8_t flags;
  uint16_t offset;
  uint16_t element;
  int16_t structure;
  Counter count;
  Counter inner;
};

struct Struct {
  const char* name;
  int16_t first;
  int16_t count;
  uint16_t size;
  uint16_t end;
  uint8_t sized;  // begins with its struct_size
  int16_t first_size;  // of those that headers have given it, from the least on
  int16_t sizes;
};

struct Function {
  const char* name;
  int16_t args;
  uint16_t slot;
  int16_t extension;  // < 0: the API table
  int16_t since;
  bool answers;           // with an error; false: it returns nothing
};

struct ReusedTable {
  int minor;
  unsigned bytes;
};

#include "generated/layouts.inc"

}  // namespace recorder

#endif
