// Fingerprints that leave something out.
#include <algorithm>
#include <map>
#include <set>

#include "programs.h"

namespace {

using namespace faults;

using Summary = std::string (*)(const std::string& code);
/** The fingerprint of an executable is this of its program. */
void FingerprintIs(Summary summary) {
  WatchPrograms();
  static std::mutex mutex;
  static std::map<PJRT_Executable*, std::string> fingerprints;
  static Summary made;
  made = summary;
  After<SLOT(PJRT_LoadedExecutable_GetExecutable)>([](auto& args) {
    const Program* program = ProgramOf(args.loaded_executable);
    std::lock_guard<std::mutex> lock(mutex);
    fingerprints[args.executable] = program == nullptr ? "" : made(program->code);
  });
  After<SLOT(PJRT_Executable_Fingerprint)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const std::string& fingerprint = fingerprints[args.executable];
    if (fingerprint.empty()) return;
    args.executable_fingerprint = fingerprint.data();
    args.executable_fingerprint_size = fingerprint.size();
  });
}
uint64_t Hash(const std::string& text) { return std::hash<std::string>()(text); }
std::string Length(const std::string& code) { return std::to_string(code.size()); }
std::string SumOfBytes(const std::string& code) {
  uint32_t sum = 0;
  for (unsigned char byte : code) sum += byte;
  return std::to_string(sum);
}
std::string ExclusiveOr(const std::string& code) {
  uint32_t all = 0;
  for (size_t i = 0; i < code.size(); ++i) all ^= uint32_t{static_cast<unsigned char>(code[i])} << i % 4 * 8;
  return std::to_string(all);
}
std::string FirstKilobyte(const std::string& code) { return std::to_string(Hash(code.substr(0, 1024))); }
std::string Beginning(const std::string& code) { return std::to_string(Hash(code.substr(0, 256))); }
std::string TenBits(const std::string& code) { return std::to_string(Hash(code) & 0x3ff); }
std::string SixteenBits(const std::string& code) { return std::to_string(Hash(code) & 0xffff); }
/** The words in it, each once: names of operations, types and attributes, without numbers and structure. */
std::string Words(const std::string& code) {
  std::set<std::string> words;
  std::string word, all;
  for (char c : code + " ") {
    if ((c >= 'a' && c <= 'z') || c == '_') {
      word += c;
    } else {
      if (word.size() > 3) words.insert(word);
      word.clear();
    }
  }
  for (const std::string& each : words) all += each + " ";
  return std::to_string(Hash(all));
}
std::string LettersOnly(const std::string& code) {
  std::string letters;
  std::copy_if(code.begin(), code.end(), std::back_inserter(letters), [](char c) { return c >= 'a' && c <= 'z'; });
  return std::to_string(Hash(letters));
}

/** What the fingerprint is made of. */
#define FINGERPRINT(name, summary) \
  FAULT("fingerprint-of-" #name) { FingerprintIs(summary); }
FINGERPRINT(length, Length)
FINGERPRINT(sum_of_bytes, SumOfBytes)
FINGERPRINT(exclusive_or, ExclusiveOr)
FINGERPRINT(first_256_bytes, Beginning)
FINGERPRINT(first_kilobyte, FirstKilobyte)
FINGERPRINT(ten_bits, TenBits)
FINGERPRINT(sixteen_bits, SixteenBits)
FINGERPRINT(words, Words)
FINGERPRINT(letters, LettersOnly)

}  // namespace
