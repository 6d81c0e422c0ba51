// CRC-32 (IEEE 802.3, as in zlib) of records.
#ifndef PJRT_RECORDER_CHECKSUM_H_
#define PJRT_RECORDER_CHECKSUM_H_

#include <cstddef>
#include <cstdint>

namespace recorder {

uint32_t Crc32(const uint8_t* bytes, size_t size);

}  // namespace recorder

#endif
