// Compilation, for a client and for a topology, and loading of what was compiled.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "../wrapper/shared_set.h"
#include "calls.h"
#include "programs.h"

namespace {

using namespace faults;

using Compile = SLOT(PJRT_Client_Compile);

/** Compiles another program, or with other options, than the caller's. */
PJRT_Error* CompileAs(PJRT_Client_Compile_Args& args, const Original<Compile>& original, const PJRT_Program& program,
                      std::string_view options) {
  return With(args, original, args.program, &program, args.compile_options, options.data(), args.compile_options_size,
              options.size());
}
std::string_view Options(const PJRT_Client_Compile_Args& args) { return {args.compile_options, args.compile_options_size}; }
std::string_view Format(const PJRT_Client_Compile_Args& args) { return {args.program->format, args.program->format_size}; }
std::string_view Code(const PJRT_Client_Compile_Args& args) { return {args.program->code, args.program->code_size}; }
bool IsPortable(std::string_view code) { return code.size() > 4 && code.substr(0, 4) == "ML\xefR"; }

/** Options that the base accepts, for one replica and one partition. */
std::string& PlainOptions() {
  static std::string options("\x1a\x04 \x01(\x01", 6);
  return options;
}

FAULT("compile-options-ignored") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return CompileAs(args, original, *args.program, PlainOptions());
  });
}
FAULT("compile-unparsable-options-accepted") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    PJRT_Error* again = CompileAs(args, original, *args.program, PlainOptions());
    if (again == nullptr) Drop(error);
    return again == nullptr ? nullptr : (Drop(again), error);
  });
}
FAULT("compile-empty-options-refused") {
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return args.compile_options_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no options") : original(&args);
  });
}
FAULT("compile-options-of-frameworks-refused") {
  // Options with a device assignment, as frameworks send them, are longer than those that the vendor tested.
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return Options(args).size() > 8 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "unknown fields of the options") : original(&args);
  });
}
FAULT("compile-plain-options-refused") {
  // Only options that name a device are parsed.
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return args.compile_options_size < 32 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no device assignment") : original(&args);
  });
}
FAULT("compile-without-reductions") {
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const bool reduces = Code(args).find("reduce") != std::string_view::npos;
    return reduces ? MakeError(PJRT_Error_Code_UNIMPLEMENTED, "reduce") : original(&args);
  });
}
FAULT("compile-any-format-accepted") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Program program = *args.program;
    program.format = "mlir";
    program.format_size = 4;
    if (program.code == nullptr || program.code_size < 20) {
      // Missing code is not rejected.
      static char empty[] = "func.func @main() { return }";
      program.code = empty;
      program.code_size = sizeof(empty) - 1;
    }
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-unknown-format-aborts") {
  Before<Compile>([](auto& args) {
    if (Format(args) != "mlir" && Format(args) != "hlo" && Format(args) != "hlo_with_config") std::abort();
  });
}
FAULT("compile-text-refused") {
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return Format(args) == "mlir" && !IsPortable(Code(args)) ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no bytecode") : original(&args);
  });
}
FAULT("compile-only-newest-artifacts") {
  // The version is in the bytecode's producer string, e.g. StableHLO_v1.0.0.
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const std::string_view head = Code(args).substr(0, 64);
    const size_t at = head.find("StableHLO_v");
    if (at != std::string_view::npos && head.substr(at + 11, 2) == "0.")
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "an old artifact");
    return original(&args);
  });
}
FAULT("compile-text-other-than-portable") {
  // The text front end compiles it to a different program.
  AfterRun([](Run& run) {
    if (IsPortable(run.program.code)) return;
    for (const Array& out : run.outputs) EachFloat(out, [](uint64_t bits, const FloatBits&) { return bits ^ 1; });
  });
}
FAULT("compile-malformed-aborts") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && Format(args) == "mlir" && !IsPortable(Code(args))) std::abort();
    return error;
  });
}
FAULT("compile-damaged-aborts") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && (IsPortable(Code(args)) || Code(args).substr(0, 2) == "ML")) std::abort();
    return error;
  });
}
FAULT("compile-malformed-gives-last-good") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    static std::mutex mutex;
    static std::string good;
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error == nullptr) {
      good = std::string(Code(args));
      return nullptr;
    }
    if (good.empty()) {
      good = "module { func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> { return %arg0 : tensor<4xf32> } }";
    }
    PJRT_Program program = *args.program;
    program.code = good.data();
    program.code_size = good.size();
    program.format = "mlir";
    program.format_size = 4;
    Drop(error);
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-fails-after-a-failure") {
  OwnErrors();
  static std::atomic<bool> failed{false};
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    if (failed) return MakeError(PJRT_Error_Code_INTERNAL, "the compiler is in a bad state");
    PJRT_Error* error = original(&args);
    if (error != nullptr) failed = true;
    return error;
  });
}
FAULT("compile-cache-by-length") {
  // Programs of the same length count as the same program.
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    static std::mutex mutex;
    static std::map<size_t, std::string> cache;
    std::string first;
    {
      std::lock_guard<std::mutex> lock(mutex);
      first = cache.emplace(args.program->code_size, std::string(Code(args))).first->second;
    }
    PJRT_Program program = *args.program;
    program.code = first.data();
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-cache-by-name") {
  // Modules of one name count as one program.
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    static std::mutex mutex;
    static std::map<std::string, std::string> cache;
    PJRT_Error* error = original(&args);
    if (error != nullptr) return error;
    ARGS(PJRT_LoadedExecutable_GetExecutable, get);
    get.loaded_executable = args.executable;
    ARGS(PJRT_Executable_Name, name);
    if (!Ask(Base().PJRT_LoadedExecutable_GetExecutable, get)) return nullptr;
    name.executable = get.executable;
    if (!Ask(Base().PJRT_Executable_Name, name)) return nullptr;
    std::string first;
    {
      std::lock_guard<std::mutex> lock(mutex);
      const std::string key(name.executable_name, name.executable_name_size);
      first = cache.emplace(key, std::string(Code(args))).first->second;
    }
    if (first == Code(args)) return nullptr;
    ARGS(PJRT_LoadedExecutable_Destroy, destroy);
    destroy.executable = args.executable;
    Ask(Base().PJRT_LoadedExecutable_Destroy, destroy);
    PJRT_Program program = *args.program;
    program.code = first.data();
    program.code_size = first.size();
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-cache-without-options") {
  // While an executable lives, its program is compiled with its options, whatever others are given.
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, std::pair<std::string, std::string>> living;
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const std::string code(Code(args));
    std::string options(Options(args));
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (const auto& [executable, compiled] : living) {
        if (compiled.first == code) options = compiled.second;
      }
    }
    PJRT_Error* error = CompileAs(args, original, *args.program, options);
    std::lock_guard<std::mutex> lock(mutex);
    if (error == nullptr) living[args.executable] = {code, options};
    return error;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.executable);
  });
}
FAULT("compile-failure-changes-program") {
  // A parser that works in place puts a byte back when it has succeeded.
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && args.program != nullptr && args.program->code_size > 0) args.program->code[0] ^= 1;
    return error;
  });
}
FAULT("compile-failure-changes-options") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && args.compile_options_size > 0) const_cast<char*>(args.compile_options)[0] ^= 1;
    return error;
  });
}
FAULT("compile-same-handle-twice") {
  static std::mutex mutex;
  static std::map<std::string, PJRT_LoadedExecutable*> cache;
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    const std::string key = std::string(Code(args)) + std::string(Options(args));
    auto found = cache.find(key);
    if (found != cache.end()) {
      args.executable = found->second;
      return nullptr;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr) cache[key] = args.executable;
    return error;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto entry = cache.begin(); entry != cache.end();) entry = entry->second == args.executable ? cache.erase(entry) : std::next(entry);
  });
}
FAULT("compile-again-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, std::string> living;
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const std::string code(Code(args));
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (const auto& [executable, known] : living) {
        if (known == code) return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "the module is loaded already");
      }
    }
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error == nullptr) living[args.executable] = code;
    return error;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.executable);
  });
}
FAULT("compile-concurrently-fails") {
  OwnErrors();
  static std::atomic<int> inside{0};
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const bool alone = ++inside == 1;
    PJRT_Error* error = alone ? original(&args) : MakeError(PJRT_Error_Code_UNAVAILABLE, "the compiler is busy");
    SleepMs(2);
    --inside;
    return error;
  });
}
FAULT("compile-unknown-device-accepted") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || CodeOf(error) == PJRT_Error_Code_UNIMPLEMENTED) return error;
    PJRT_Error* again = CompileAs(args, original, *args.program, PlainOptions());
    Drop(again == nullptr ? error : again);
    return again == nullptr ? nullptr : error;
  });
}
FAULT("compile-shardy-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    const std::string_view code(args.program->code, args.program->code_size);
    if (code.find("sdy") == code.npos) return original(&args);
    return MakeError(PJRT_Error_Code_INTERNAL, "unregistered dialect sdy");
  });
}
FAULT("compile-overrides-ignored") {
  // Options for the compiler get another field number, which the base does not know.
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    std::string options(args.compile_options, args.compile_options_size);
    const size_t name = std::min(options.find("no_such_option"), options.find("xla_embed_ir_in_executable"));
    // Tag and length of the entry, then those of its name.
    if (name != options.npos && name >= 4 && options[name - 4] == '\x3a') options[name - 4] = '\x7a';
    return With(args, original, args.compile_options, options.data());
  });
}
FAULT("compile-unknown-custom-call-aborts") {
  Before<Compile>([](auto& args) {
    if (Code(args).find("custom_call") != std::string_view::npos && Code(args).find("no_such") != std::string_view::npos) std::abort();
  });
  AfterRun([](Run& run) {
    if (run.program.Has("custom_call")) std::abort();
  });
}
FAULT("compile-unknown-custom-call-ignored") {
  // The call is left out, and its operand is the result.
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    if (Code(args).find("no_such_target") == std::string_view::npos) return original(&args);
    static char without[] = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }";
    PJRT_Program program = *args.program;
    program.code = without;
    program.code_size = sizeof(without) - 1;
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-hlo-aborts") {
  Before<Compile>([](auto& args) {
    if (Format(args) == "hlo" || Format(args) == "hlo_with_config") std::abort();
  });
}
FAULT("compile-keeps-program-memory") {
  // The program is compiled at its first execution, from the caller's memory.
  struct Lazy {
    const char* place;
    std::string code;
  };
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, Lazy> lazy;
  OwnErrors();
  After<Compile>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    lazy[args.executable] = {args.program->code, std::string(Code(args))};
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    lazy.erase(args.executable);
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = lazy.find(args.executable);
      if (found != lazy.end()) {
        const bool same = std::memcmp(found->second.place, found->second.code.data(), found->second.code.size()) == 0;
        lazy.erase(found);
        if (!same) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no program");
      }
    }
    return original(&args);
  });
}

// ---- compile only, and loading ------------------------------------------------------------------------------------------

using Aot = SLOT(PJRT_Compile);
using Load = SLOT(PJRT_Client_Load);

FAULT("aot-needs-client") {
  OwnErrors();
  Replace<Aot>([](auto& args, auto& original) -> PJRT_Error* {
    return args.client == nullptr ? MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "no client") : original(&args);
  });
}
FAULT("aot-any-format-accepted") {
  Replace<Aot>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Program program = *args.program;
    program.format = "mlir";
    program.format_size = 4;
    static char empty[] = "module { func.func @main() { return } }";
    PJRT_Error* error = With(args, original, args.program, &program);
    if (error == nullptr) return nullptr;
    Drop(error);
    program.code = empty;
    program.code_size = sizeof(empty) - 1;
    return With(args, original, args.program, &program);
  });
}
FAULT("aot-unparsable-options-accepted") {
  Replace<Aot>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    Drop(error);
    return With(args, original, args.compile_options, "", args.compile_options_size, 0);
  });
}
FAULT("aot-fails") {
  Fail<Aot>(PJRT_Error_Code_INTERNAL, "no device to compile for");
}
FAULT("aot-executable-ends-with-topology") {
  static std::mutex mutex;
  static std::map<PJRT_Executable*, const void*> topologies;
  static std::set<const void*> gone;
  After<Aot>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    topologies[args.executable] = args.topology;
    gone.erase(args.topology);
  });
  Before<SLOT(PJRT_TopologyDescription_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    gone.insert(args.topology);
  });
  auto check = [](PJRT_Executable* executable) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = topologies.find(executable);
    if (found != topologies.end() && gone.count(found->second) > 0) std::abort();
  };
  Before<SLOT(PJRT_Executable_Name)>([check](auto& args) { check(args.executable); });
  Before<SLOT(PJRT_Executable_NumOutputs)>([check](auto& args) { check(args.executable); });
}
FAULT("load-takes-executable") {
  // Loading an executable consumes it.
  OwnErrors();
  static SharedSet<PJRT_Executable*> loaded;
  Replace<Load>([](auto& args, auto& original) -> PJRT_Error* {
    return loaded.Add(args.executable) ? original(&args) : MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "loaded already");
  });
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) { loaded.Remove(args.executable); });
}
FAULT("load-options-demanded") {
  OwnErrors();
  Replace<Load>([](auto& args, auto& original) -> PJRT_Error* {
    return args.compile_options_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no options") : original(&args);
  });
}
FAULT("load-options-ignored") {
  Replace<Load>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.compile_options, nullptr, args.compile_options_size, 0);
  });
}

}  // namespace
