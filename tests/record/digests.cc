// Prints the digest of so many bytes for each argument, from an odd address.
#include <cstdio>
#include <cstdlib>

#include "digest.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const size_t size = std::strtoul(argv[i], nullptr, 10);
    auto* memory = static_cast<uint8_t*>(std::malloc(size + 1)) + 1;
    for (size_t at = 0; at < size; ++at) memory[at] = static_cast<uint8_t>(at * 31 + at / 251);
    const recorder::Digest digest = recorder::DigestOf(memory, size);
    for (const uint8_t byte : digest.bytes) std::printf("%02x", byte);
    std::printf("\n");
    std::free(memory - 1);
  }
}
