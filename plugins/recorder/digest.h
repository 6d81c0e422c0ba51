// What data is named by: the tag that AES-128-GCM makes of data alone (GMAC, NIST SP 800-38D), with a key and a nonce of zeros. It sets
// data apart, and keeps nothing secret: who wants two arrays of one name can make them.
#ifndef PJRT_RECORDER_DIGEST_H_
#define PJRT_RECORDER_DIGEST_H_

#include <cstddef>
#include <cstdint>

namespace recorder {

struct Digest {
  uint8_t bytes[16];
};

Digest DigestOf(const uint8_t* bytes, size_t size);

}  // namespace recorder

#endif
