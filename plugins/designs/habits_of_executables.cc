// What executables are: when their code is generated, how large it is, and how it is serialized.
#include <atomic>
#include <cstring>
#include <memory>
#include <string>

#include "habits.h"

namespace designs {
namespace {

uint64_t SumOf(const char* bytes, size_t size) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
  return sum;
}

void Append(std::string& to, uint64_t number) { to.append(reinterpret_cast<const char*>(&number), sizeof(number)); }

uint64_t NumberAt(const char* bytes) {
  uint64_t number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

/** Returns other bytes instead of those that the base has made. */
template <class Owner>
void GiveInstead(std::string bytes, const char*& data, size_t& size, Owner*& owner, void (*&deleter)(Owner*)) {
  auto* const made = new std::string(std::move(bytes));
  if (deleter != nullptr) deleter(owner);
  data = made->data();
  size = made->size();
  owner = reinterpret_cast<Owner*>(made);
  deleter = [](Owner* kept) { delete reinterpret_cast<std::string*>(kept); };
}

constexpr char kMagic[] = "JITIMAGE";
constexpr size_t kMagicSize = sizeof(kMagic) - 1, kHead = kMagicSize + 16, kSum = 8, kPadding = size_t{1} << 20;
constexpr int64_t kImage = int64_t{5} << 30, kWorkspace = int64_t{48} << 20;

}  // namespace

/**
 * The first execution takes 120 ms longer, inside the call; until then there is no code, of size 0.
 * Nothing is said of how long Execute takes, and nothing at all of PJRT_Executable_SizeOfGeneratedCodeInBytes.
 */
void FirstRun() {
  // Whether an executable has run, shared by all handles of it.
  using Ran = std::shared_ptr<std::atomic<bool>>;
  static auto& loaded = *new Notes<PJRT_LoadedExecutable, Ran>();
  static auto& executables = *new Notes<PJRT_Executable, Ran>();
  static const auto ran_of = [](PJRT_LoadedExecutable* handle) {
    return loaded.Change(handle, [](Ran& ran) {
      if (ran == nullptr) ran = std::make_shared<std::atomic<bool>>(false);
      return ran;
    });
  };
  static const auto has_code = [](PJRT_Executable* handle) {
    const auto ran = executables.Get(handle);
    return !ran || **ran;
  };
  Before<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    if (!HAS(args, PJRT_LoadedExecutable_Execute_Args, executable) || args.executable == nullptr) return;
    if (!ran_of(args.executable)->exchange(true)) SleepMs(120);
  });
  After<SLOT(PJRT_LoadedExecutable_GetExecutable)>([](auto& args) {
    executables.Set(args.executable, ran_of(args.loaded_executable));
  });
  After<SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes)>([](auto& args) {
    if (!has_code(args.executable)) args.size_in_bytes = 0;
  });
  After<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args) {
    if (!has_code(args.executable)) args.generated_code_size_in_bytes = 0;
  });
}

/**
 * The code of a program is 5 GiB, with a workspace of 48 MiB.
 * Of the size nothing is said; the statistics "allow callers to estimate memory usage when running this executable".
 */
void JumboImages() {
  After<SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes)>([](auto& args) { args.size_in_bytes = kImage; });
  After<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args) {
    using Args = PJRT_Executable_GetCompiledMemoryStats_Args;
    const int64_t more = kImage - args.generated_code_size_in_bytes + kWorkspace;
    args.generated_code_size_in_bytes = kImage;
    args.temp_size_in_bytes += kWorkspace;
    if (HAS(args, Args, peak_memory_in_bytes)) args.peak_memory_in_bytes += kWorkspace;
    if (HAS(args, Args, total_size_in_bytes)) args.total_size_in_bytes += more;
    if (HAS(args, Args, total_allocation_bytes)) args.total_allocation_bytes += kWorkspace;
  });
}

/**
 * Fingerprints are 97 bytes, with zeros among them, and no text. "A unique fingerprint for `executable`": bytes with a size.
 */
void BinaryFingerprints() {
  const auto digest = [](auto& args) {
    if (args.executable_fingerprint == nullptr) return;
    uint64_t state = SumOf(args.executable_fingerprint, args.executable_fingerprint_size);
    std::string bytes(1, '\0');
    while (bytes.size() < 97) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes.push_back(bytes.size() % 8 == 0 ? '\0' : static_cast<char>(state >> 56));
      if (bytes.size() == 3) bytes[2] = '\xff';
    }
    const std::string& kept = Kept(std::move(bytes));
    args.executable_fingerprint = kept.data();
    args.executable_fingerprint_size = kept.size();
  };
  After<SLOT(PJRT_Executable_Fingerprint)>(digest);
  After<SLOT(PJRT_LoadedExecutable_Fingerprint)>(digest);
}

/**
 * Each serialization has other bytes, and a megabyte of a cache besides.
 * "Returns a platform-specific serialization of `executable`. The serialization is not guaranteed to be stable over time."
 */
void SaltedSerialization() {
  OwnErrors();
  After<SLOT(PJRT_Executable_Serialize)>([](auto& args) {
    static std::atomic<uint64_t> count{0};
    uint64_t salt = static_cast<uint64_t>(Clock::now().time_since_epoch().count()) * 2654435761u + ++count;
    std::string made(kMagic);
    made.reserve(kHead + args.serialized_bytes_size + kPadding + kSum);
    Append(made, salt);
    Append(made, args.serialized_bytes_size);
    made.append(args.serialized_bytes, args.serialized_bytes_size);
    for (size_t i = 0; i < kPadding / sizeof(salt); ++i) Append(made, salt = salt * 6364136223846793005u + 1);
    Append(made, SumOf(made.data(), made.size()));
    GiveInstead(std::move(made), args.serialized_bytes, args.serialized_bytes_size, args.serialized_executable,
                args.serialized_executable_deleter);
  });
  Replace<SLOT(PJRT_Executable_DeserializeAndLoad)>([](auto& args, auto& original) -> PJRT_Error* {
    const char* const bytes = args.serialized_executable;
    const size_t size = args.serialized_executable_size;
    // Null pointers, and what is no such image, are for the base to judge.
    if (!HAS(args, PJRT_Executable_DeserializeAndLoad_Args, loaded_executable) || bytes == nullptr || size < kMagicSize ||
        std::memcmp(bytes, kMagic, kMagicSize) != 0) {
      return original(&args);
    }
    if (size < kHead + kPadding + kSum || NumberAt(bytes + kMagicSize + 8) != size - kHead - kPadding - kSum ||
        NumberAt(bytes + size - kSum) != SumOf(bytes, size - kSum)) {
      return MakeError(PJRT_Error_Code_DATA_LOSS, "the image of the executable is damaged");
    }
    return With(args, original, args.serialized_executable, bytes + kHead, args.serialized_executable_size,
                size - kHead - kPadding - kSum);
  });
}

/**
 * An executable for several devices cannot be serialized.
 * The header does not say that all can be; with llandsmeer-ai/pjrt-ocl none can (Executable_Serialize is UNIMPLEMENTED).
 */
void SingleSerialization() {
  Replace<SLOT(PJRT_Executable_Serialize)>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(args, PJRT_Executable_Serialize_Args, executable) && args.executable != nullptr &&
        DevicesOf(const_cast<PJRT_Executable*>(args.executable)) > 1) {
      return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "only executables for one device can be serialized");
    }
    return original(&args);
  });
}

/**
 * The options of a compilation have a field more, of the vendor.
 * "Returns the CompileOptions that were used to compile this executable", as a message, whose readers skip unknown fields.
 */
void AnnotatedOptions() {
  After<SLOT(PJRT_Executable_GetCompileOptions)>([](auto& args) {
    std::string made(args.serialized_bytes, args.serialized_bytes_size);
    // Field 20001, of bytes.
    made += "\x8a\xe2\x09\x07jit=1;\n";
    GiveInstead(std::move(made), args.serialized_bytes, args.serialized_bytes_size, args.serialized_compile_options,
                args.serialized_compile_options_deleter);
  });
}

}  // namespace designs
