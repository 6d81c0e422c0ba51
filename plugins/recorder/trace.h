// The trace of this process: segments of records, and data by its digest. docs/record.md has the format.
//
// Nothing here takes a lock for a record: each thread fills a piece of a segment that is its own. A segment is mapped and shared with
// the file, so what was written before a SIGKILL is in the file. Its space is allocated before, so a full disk is an error
// of that allocation, and no signal.
#ifndef PJRT_RECORDER_TRACE_H_
#define PJRT_RECORDER_TRACE_H_

#include <cstddef>
#include <cstdint>

namespace recorder {

enum class Kind : uint16_t {
  kNames = 1,
  kPlugin = 2,
  kEnter = 3,
  kLeave = 4,
  kCallbackEnter = 5,
  kCallbackLeave = 6,
  kData = 7,
  kContents = 8,
  kEnd = 9,
  kExecutable = 10,
};

/** Why a recording ended. */
enum class End : uint32_t { kExit = 0, kMaxSize = 1 };

/** What memory is, which decides what is kept of it. */
enum class What : uint8_t { kArguments = 0, kHostData = 1, kProgram = 2, kNode = 3 };

/** Whether records are wanted now. */
bool Recording();

struct Thread;

/** A record that is being written; one at a time for each thread, and no call of a plugin meanwhile. */
class Record {
 public:
  /** @param of order number of the record that it belongs to, or 0 */
  Record(Kind kind, uint16_t function, uint32_t plugin, uint64_t of);
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  ~Record() { Commit(); }

  uint64_t order() const { return order_; }
  void U32(uint32_t value) { Bytes(&value, sizeof(value)); }
  void U64(uint64_t value) { Bytes(&value, sizeof(value)); }
  void Bytes(const void* bytes, size_t size);
  /** Zeros up to a multiple of eight. */
  void Pad();
  /** The bytes of the arguments, which the header counts. */
  void Arguments(const void* args, size_t size);
  /** Memory that something leads to. */
  void Memory(const void* memory, size_t size, What what = What::kArguments);
  /** Memory of which nothing is kept. */
  void Missing(const void* memory, size_t size, What what);
  /** Whether memory at this address is in the record. */
  bool Has(const void* memory) const;

 private:
  void Commit();
  void Entry(const void* memory, size_t size, What what, int form, const void* stored, size_t bytes);

  /** Null without memory. */
  Thread* thread_;
  uint64_t order_;
  uint32_t arguments_ = 0;
  size_t entries_ = 0;
};

/** Writes what the process is; the trace begins, or in a child of a fork a trace of its own. */
void BeginTrace();
/** The last record, after which nothing is written. */
void EndTrace(End why);

/** Plugins describe themselves again in a child of a fork. */
void DescribePlugins();
/** Writes the names of functions. */
void DescribeFunctions();

}  // namespace recorder

#endif
