// BLAKE2b with 64 bytes of digest (RFC 7693): what data is named by.
#ifndef PJRT_RECORDER_BLAKE2B_H_
#define PJRT_RECORDER_BLAKE2B_H_

#include <cstddef>
#include <cstdint>

namespace recorder {

/** The first 16 bytes of the digest of some bytes. */
struct Digest {
  uint8_t bytes[16];
};

Digest Blake2b(const uint8_t* bytes, size_t size);

}  // namespace recorder

#endif
