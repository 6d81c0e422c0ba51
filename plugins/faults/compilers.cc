// Defects of compilers: a kernel chosen for one form of an operation, a table that is too small, a record that leaves something out.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "../reference/runtime/ffi_abi.h"
#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "calls.h"
#include "execute.h"
#include "programs.h"
#include "rewriting.h"

namespace {

using namespace faults;

using Compile = SLOT(PJRT_Client_Compile);
using GetExecutable = SLOT(PJRT_LoadedExecutable_GetExecutable);
using Deserialize = SLOT(PJRT_Executable_DeserializeAndLoad);
using LoadedDestroy = SLOT(PJRT_LoadedExecutable_Destroy);

FAULT("numerics-vectors-times-matrices-of-first-batch") {
  // A batch of vectors times a batch of matrices goes to the kernel for one vector, which steps through the vectors and
  // has no stride for the matrices.
  MiscompileOp("dot_general", [](Op op) -> Lines {
    const auto dimensions = [&op](const char* which) { return Between(op.attributes, std::string(which) + "_dimensions = [", "]"); };
    const bool form = dimensions("lhs_batching") == "0" && dimensions("rhs_batching") == "0" &&
                      dimensions("lhs_contracting") == "1" && dimensions("rhs_contracting").size() == 1;
    const std::vector<int64_t> left = DimsOf(op.types[0]), right = DimsOf(op.types[1]);
    if (left.size() != 2 || right.size() != 3 || left[0] < 2 || !form) return {};
    const std::string first = Fresh(), all = Fresh(), element = ElementOf(op.types[1]);
    const std::string one = Tensor({1, right[1], right[2]}, element);
    Lines lines;
    lines.push_back(Made(op, first, "slice", {op.operands[1]}, {op.types[1]}, one,
                         " <{limit_indices = " + I64s({1, right[1], right[2]}) + ", start_indices = " + I64s({0, 0, 0}) +
                             ", strides = " + I64s({1, 1, 1}) + "}>"));
    lines.push_back(Made(op, all, "broadcast_in_dim", {first}, {one}, op.types[1],
                         " <{broadcast_dimensions = " + I64s({0, 1, 2}) + "}>"));
    op.operands[1] = all;
    lines.push_back(op.Text("dot_general"));
    return lines;
  });
}
FAULT("numerics-narrow-float-iota-stands-still") {
  // The kernel counts by adding one in the element type: from 256 on in bf16, and 2048 in f16, that changes nothing.
  MiscompileOp("iota", [](Op op) -> Lines {
    const std::string element = ElementOf(op.result_type);
    const std::vector<int64_t> dims = DimsOf(op.result_type), along = Numbers(op.attributes);
    const int64_t most = element == "bf16" ? 256 : element == "f16" ? 2048 : 0;
    if (most == 0 || along.empty() || dims[static_cast<size_t>(along[0])] <= most + 1) return {};
    const std::string counted = Fresh(), limit = Fresh(), result = op.result;
    op.result = counted;
    return {op.Text("iota"), Constant(op.indent, limit, std::to_string(most) + ".0", op.result_type),
            Made(op, result, "minimum", {counted, limit}, {op.result_type, op.result_type}, op.result_type)};
  });
}
FAULT("numerics-maximum-of-bytes-padded-with-zeros") {
  // The pooling kernel for s8 fills the border of its input with zeros, whatever the initial value is.
  Miscompile([](Lines& lines, PJRT_LoadedExecutable*) {
    bool any = false;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].size() > 4000 || lines[i].find("\"stablehlo.reduce_window\"(") == std::string::npos) continue;
      const std::string line = lines[i];
      const size_t end = EndOf(lines, i);
      if (end != i + 4 || lines[i + 2].find("\"stablehlo.maximum\"") == std::string::npos) continue;
      const std::string indent = line.substr(0, line.find_first_not_of(' '));
      const std::string given = Between(line, "padding = dense<", ">"), last = lines[end];
      const std::vector<int64_t> spread = Numbers(Between(line, "base_dilations = array<i64", ">"));
      const bool dense = std::all_of(spread.begin(), spread.end(), [](int64_t by) { return by == 1; });
      const std::vector<std::string> operands = List(Between(line, "\"stablehlo.reduce_window\"(", ")"));
      const std::vector<std::string> types = List(Between(last, " : (", ") -> "));
      if (!dense || operands.size() != 2 || types.size() != 2 || ElementOf(types[0]) != "i8") continue;
      const std::vector<int64_t> padding = Numbers(given);
      std::vector<int64_t> dims = DimsOf(types[0]), low, high, between(dims.size(), 0);
      if (padding.size() != 2 * dims.size()) continue;
      bool positive = true, padded = false;
      for (size_t d = 0; d < dims.size(); ++d) {
        low.push_back(padding[2 * d]);
        high.push_back(padding[2 * d + 1]);
        dims[d] += low[d] + high[d];
        positive = positive && low[d] >= 0 && high[d] >= 0;
        padded = padded || low[d] > 0 || high[d] > 0;
      }
      if (!positive || !padded) continue;
      const std::string zero = Fresh(), wide = Fresh(), type = Tensor(dims, "i8");
      const Op like{indent, "", "", "", {}, {}};
      std::string changed = line, closing = last;
      changed.replace(changed.find("(" + operands[0] + ","), operands[0].size() + 1, "(" + wide);
      changed.replace(changed.find(given), given.size(), "0");
      closing.replace(closing.find(types[0]), types[0].size(), type);
      lines[i] = changed;
      lines[end] = closing;
      lines.insert(lines.begin() + static_cast<ptrdiff_t>(i),
                   {Constant(indent, zero, "0", "tensor<i8>"),
                    Made(like, wide, "pad", {operands[0], zero}, {types[0], "tensor<i8>"}, type,
                         " <{edge_padding_high = " + I64s(high) + ", edge_padding_low = " + I64s(low) +
                             ", interior_padding = " + I64s(between) + "}>")});
      i += 2;
      any = true;
    }
    return any;
  });
}
FAULT("numerics-loop-carries-32-values") {
  // The table of values that a loop carries has 32 places; the others are passed to each step as they were in the first.
  Miscompile([](Lines& lines, PJRT_LoadedExecutable*) {
    constexpr size_t kPlaces = 32;
    bool any = false;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find("\"stablehlo.while\"(") == std::string::npos) continue;
      const std::string indent = lines[i].substr(0, lines[i].find_first_not_of(' '));
      const size_t end = EndOf(lines, i);
      size_t body = i + 1;
      while (body < end && lines[body].compare(0, indent.size() + 4, indent + "}, {") != 0) ++body;
      if (end >= lines.size() || body + 1 >= end) continue;
      const std::string &head = lines[body + 1], &back = lines[end - 1];
      const auto inside = [](const std::string& text) {
        const size_t begin = text.find('(') + 1;
        return text.substr(begin, text.find(')', begin) - begin);
      };
      std::vector<std::string> arguments = List(inside(head)), values = List(inside(back));
      if (values.size() <= kPlaces || arguments.size() != values.size()) continue;
      std::string list;
      for (size_t v = 0; v < values.size(); ++v) {
        const std::string same = arguments[v].substr(0, arguments[v].find(':'));
        if (v >= kPlaces && values[v] != same) any = true;
        list += (v == 0 ? "" : ", ") + (v < kPlaces ? values[v] : same);
      }
      const size_t begin = back.find('(') + 1;
      lines[end - 1] = back.substr(0, begin) + list + back.substr(back.find(')', begin));
    }
    return any;
  });
}
FAULT("numerics-update-of-bytes-starts-at-word") {
  // Updates of elements of one byte are written in words of four: a start within one is rounded down.
  MiscompileOp("dynamic_update_slice", [](Op op) -> Lines {
    const std::string element = ElementOf(op.types[0]);
    const bool bytes = element == "i8" || element == "ui8" || element == "i1" || element.compare(0, 2, "f8") == 0;
    const std::vector<int64_t> whole = DimsOf(op.types[0]), part = DimsOf(op.types[1]);
    if (!bytes || whole.empty() || part.back() >= whole.back()) return {};
    const std::string start = op.operands.back(), type = op.types.back(), mask = Fresh(), rounded = Fresh();
    op.operands.back() = rounded;
    const std::string index = ElementOf(type);
    const std::string value = index == "ui32" ? "4294967292" : index == "i32" || index == "i64" ? "-4" : "";
    if (value.empty()) return {};
    return {Constant(op.indent, mask, value, type), Made(op, rounded, "and", {start, mask}, {type, type}, type),
            op.Text("dynamic_update_slice")};
  });
}
FAULT("numerics-maximum-with-zero-drops-nan") {
  // A maximum with the constant zero is taken for an activation, whose kernel compares and selects: NaN becomes zero.
  Miscompile([](Lines& lines, PJRT_LoadedExecutable*) {
    std::set<std::string> zeros;
    Lines changed;
    bool any = false;
    for (const std::string& line : lines) {
      Op op;
      if (Parse(line, "constant", op)) {
        const std::string element = ElementOf(op.result_type), value = Between(line, "value = dense<", ">");
        const bool zero = value.compare(0, 2, "0.") == 0 && value.find_first_of("123456789") >= value.find('e');
        if (zero && (element == "f32" || element == "f16" || element == "bf16")) zeros.insert(op.result);
      }
      if (Parse(line, "broadcast_in_dim", op) && zeros.count(op.operands[0]) > 0) zeros.insert(op.result);
      if (!Parse(line, "maximum", op) || zeros.count(op.operands[0]) == zeros.count(op.operands[1])) {
        changed.push_back(line);
        continue;
      }
      any = true;
      const std::string zero = op.operands[zeros.count(op.operands[0]) > 0 ? 0 : 1];
      const std::string other = op.operands[zero == op.operands[0] ? 1 : 0];
      const std::string above = Fresh(), truth = Tensor(DimsOf(op.result_type), "i1"), type = op.result_type;
      changed.push_back(Made(op, above, "compare", {other, zero}, {type, type}, truth,
                             " <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = "
                             "#stablehlo<comparison_direction GT>}>"));
      changed.push_back(Made(op, op.result, "select", {above, other, zero}, {truth, type, type}, type));
    }
    lines.swap(changed);
    return any;
  });
}
FAULT("numerics-random-u64-of-equal-halves") {
  // Words of 64 bits are made of one of 32, which is put into both halves.
  MiscompileOp("rng_bit_generator", [](Op op) -> Lines {
    const std::vector<std::string> results = List(op.result);
    const std::string& pair = op.result_type;
    const std::vector<std::string> types = pair.front() == '(' ? List(pair.substr(1, pair.size() - 2)) : Lines{};
    if (results.size() != 2 || types.size() != 2 || ElementOf(types[1]) != "ui64") return {};
    const std::string words = Fresh(), mask = Fresh(), by = Fresh(), low = Fresh(), high = Fresh(), type = types[1];
    op.result = results[0] + ", " + words;
    return {op.Text("rng_bit_generator"),
            Constant(op.indent, mask, "4294967295", type),
            Constant(op.indent, by, "32", type),
            Made(op, low, "and", {words, mask}, {type, type}, type),
            Made(op, high, "shift_left", {low, by}, {type, type}, type),
            Made(op, results[1], "or", {high, low}, {type, type}, type)};
  });
}
FAULT("numerics-remainder-of-large-quotients-by-product") {
  // Where the quotient of floats has more than 16 bits, the remainder is what is left of a product, as one step of the
  // exact reduction is not enough and others are not made.
  MiscompileOp("remainder", [](Op op) -> Lines {
    const std::string type = op.result_type, truth = Tensor(DimsOf(type), "i1");
    if (ElementOf(type) != "f32") return {};
    const std::string exact = Fresh(), quotient = Fresh(), size = Fresh(), whole = Fresh(), sign = Fresh(), cut = Fresh(),
                      product = Fresh(), rest = Fresh(), most = Fresh(), large = Fresh(), finite = Fresh(), use = Fresh();
    const std::string a = op.operands[0], b = op.operands[1], result = op.result;
    op.result = exact;
    return {op.Text("remainder"),
            Made(op, quotient, "divide", {a, b}, {type, type}, type),
            Made(op, size, "abs", {quotient}, {type}, type),
            Made(op, whole, "floor", {size}, {type}, type),
            Made(op, sign, "sign", {quotient}, {type}, type),
            Made(op, cut, "multiply", {sign, whole}, {type, type}, type),
            Made(op, product, "multiply", {cut, b}, {type, type}, type),
            Made(op, rest, "subtract", {a, product}, {type, type}, type),
            Constant(op.indent, most, "65536.0", type),
            Made(op, large, "compare", {size, most}, {type, type}, truth,
                 " <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = "
                 "#stablehlo<comparison_direction GE>}>"),
            Made(op, finite, "is_finite", {quotient}, {type}, truth),
            Made(op, use, "and", {large, finite}, {truth, truth}, truth),
            Made(op, result, "select", {use, rest, exact}, {truth, type, type}, type)};
  });
}


/** Loaded executables that came from bytes, and the executables that were had from them. */
SharedSet<const void*>& FromBytes() {
  static SharedSet<const void*> from_bytes;
  return from_bytes;
}
void WatchFromBytes() {
  After<Deserialize>([](auto& args) { FromBytes().Add(args.loaded_executable); });
  After<GetExecutable>([](auto& args) {
    if (FromBytes().Has(args.loaded_executable)) FromBytes().Add(args.executable);
    else FromBytes().Remove(args.executable);
  });
  Before<LoadedDestroy>([](auto& args) { FromBytes().Remove(args.executable); });
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) { FromBytes().Remove(args.executable); });
}
FAULT("loaded-output-memory-kinds-lost") {
  // The bytes of an executable say nothing of memories: all outputs are said to be in that of the device.
  WatchFromBytes();
  MarksItself();
  After<SLOT(PJRT_Executable_OutputMemoryKinds)>([](auto& args) {
    if (!FromBytes().Has(args.executable)) return;
    static const std::string kDevice = "device";
    bool other = false;
    for (size_t i = 0; i < args.num_outputs; ++i) {
      other = other || std::string_view(args.memory_kinds[i], args.memory_kind_sizes[i]) != kDevice;
    }
    if (!other) return;
    MarkReached();
    args.memory_kinds = (new std::vector<const char*>(args.num_outputs, kDevice.data()))->data();
    args.memory_kind_sizes = (new std::vector<size_t>(args.num_outputs, kDevice.size()))->data();
  });
}
FAULT("compile-cache-ignores-donation") {
  // The cache of the compiler takes programs for equal that differ in what is donated only.
  static std::mutex mutex;
  static std::map<std::string, std::string> cache;
  MarksItself();
  After<Compile>([](auto& args) {
    const std::string text = TextOf(args.executable);
    if (text.empty()) return;
    Lines lines = Split(text);
    for (std::string& line : lines) {
      const std::string given = line.find("\"func.func\"()") == std::string::npos ? "" : Between(line, "arg_attrs = [", "], function_type");
      if (given.empty()) continue;
      std::string kept;
      bool any = false;
      for (const std::string& argument : List(given)) {
        std::string attributes;
        for (const std::string& one : List(argument.substr(1, argument.size() - 2))) {
          if (one.find("tf.aliasing_output") == std::string::npos && one.find("jax.buffer_donor") == std::string::npos)
            attributes += one + ", ";
        }
        any = any || !attributes.empty();
        kept += "{" + attributes + "}, ";
      }
      // A list of empty attributes is none.
      const size_t at = line.find("arg_attrs = [");
      line = line.substr(0, at) + (any ? "arg_attrs = [" + kept + "], " : "") + line.substr(line.find("function_type", at));
    }
    std::string key = Join(lines);
    // Equal options may come with their entries in another order; the devices are those of the executable.
    std::string options(args.compile_options, args.compile_options_size);
    std::sort(options.begin(), options.end());
    key += std::string(1, '\0') + options;
    ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
    devices.executable = args.executable;
    if (!Ask(Base().PJRT_LoadedExecutable_AddressableDevices, devices)) return;
    for (size_t i = 0; i < devices.num_addressable_devices; ++i) key += " " + std::to_string(IdOf(devices.addressable_devices[i]));
    std::string earlier;
    {
      std::lock_guard<std::mutex> lock(mutex);
      const auto found = cache.find(key);
      if (found == cache.end()) {
        cache[key] = text;
        return;
      }
      earlier = found->second;
    }
    if (earlier == text) return;
    PJRT_LoadedExecutable* other = CompileText(args.client, earlier, {args.compile_options, args.compile_options_size});
    if (other == nullptr) return;
    MarkReached();
    Destroy(args.executable);
    args.executable = other;
  });
}
FAULT("loaded-large-constants-are-zeros") {
  // The size of a constant has 16 bits in the bytes of an executable; what does not fit is left out, and read as zeros.
  MarksItself();
  After<Deserialize>([](auto& args) {
    Lines lines = Split(TextOf(args.loaded_executable));
    bool any = false;
    for (std::string& line : lines) {
      const size_t value = line.find("\"stablehlo.constant\"() <{value = dense<");
      if (value == std::string::npos) continue;
      const size_t begin = line.find("dense<", value) + 6, end = line.find("> : tensor<", begin);
      const bool several = begin < line.size() && (line[begin] == '[' || line[begin] == '"');
      if (end == std::string::npos || !several) continue;
      const std::string type = line.substr(line.rfind("-> ") + 3), element = ElementOf(type);
      const std::vector<int64_t> bits = Numbers(element);
      int64_t size = bits.empty() || element.find("complex") != std::string::npos ? 0 : std::max<int64_t>(bits[0] / 8, 1);
      for (int64_t dim : DimsOf(type)) size *= dim;
      if (size <= 0xffff) continue;
      line.replace(begin, end - begin, element == "i1" ? "false" : element.find('f') != std::string::npos ? "0.0" : "0");
      any = true;
    }
    if (!any) return;
    PJRT_LoadedExecutable* other = nullptr;
    WithExecutable(args.loaded_executable, [&](PJRT_Executable* executable) {
      ARGS(PJRT_Executable_GetCompileOptions, options);
      options.executable = executable;
      if (!Ask(Base().PJRT_Executable_GetCompileOptions, options)) return;
      other = CompileText(args.client, Join(lines), {options.serialized_bytes, options.serialized_bytes_size});
      options.serialized_compile_options_deleter(options.serialized_compile_options);
    });
    if (other == nullptr) return Missing("a compiler for changed text");
    MarkReached();
    Destroy(args.loaded_executable);
    args.loaded_executable = other;
  });
}
FAULT("executable-statistics-without-aliases") {
  // The statistics are made before memory is assigned: donated arguments and their outputs are counted twice, and
  // nothing is said to be shared.
  MarksItself();
  After<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args) {
    if (args.alias_size_in_bytes == 0) return;
    MarkReached();
    if (HAS(args, PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes))
      args.peak_memory_in_bytes += args.alias_size_in_bytes;
    if (HAS(args, PJRT_Executable_GetCompiledMemoryStats_Args, total_size_in_bytes))
      args.total_size_in_bytes += args.alias_size_in_bytes;
    args.alias_size_in_bytes = 0;
  });
}


FAULT("collective-groups-taken-as-consecutive") {
  // Of the groups of a sum over devices only their size is used: [[0, 2], [1, 3]] is [[0, 1], [2, 3]].
  Miscompile([](Lines& lines, PJRT_LoadedExecutable*) {
    bool any = false;
    for (std::string& line : lines) {
      if (line.find("\"stablehlo.all_reduce\"(") == std::string::npos || line.size() > 4000) continue;
      const size_t at = line.find("replica_groups = dense<[["), begin = at + 23;
      if (at == std::string::npos) continue;
      const size_t end = line.find("]]>", begin);
      if (end == std::string::npos) continue;
      const std::string given = line.substr(begin, end + 2 - begin);
      std::vector<int64_t> ids = Numbers(given);
      const auto groups = static_cast<size_t>(std::count(given.begin(), given.end(), '[') - 1);
      if (groups < 2 || ids.size() % groups != 0 || *std::min_element(ids.begin(), ids.end()) < 0) continue;
      const size_t size = ids.size() / groups;
      std::sort(ids.begin(), ids.end());
      std::string other = "[";
      for (size_t i = 0; i < ids.size(); ++i) {
        other += std::string(i == 0 ? "[" : i % size == 0 ? "], [" : ", ") + std::to_string(ids[i]);
      }
      other += "]]";
      // Groups that are consecutive in another order are the same.
      std::set<std::set<int64_t>> before, after;
      const std::vector<int64_t> was = Numbers(given);
      for (size_t g = 0; g < groups; ++g) {
        before.emplace(was.begin() + static_cast<ptrdiff_t>(g * size), was.begin() + static_cast<ptrdiff_t>((g + 1) * size));
        after.emplace(ids.begin() + static_cast<ptrdiff_t>(g * size), ids.begin() + static_cast<ptrdiff_t>((g + 1) * size));
      }
      if (before == after) continue;
      line.replace(begin, end + 2 - begin, other);
      any = true;
    }
    return any;
  });
}
FAULT("logical-ids-in-order-of-devices") {
  // Within a program, replica and partition ids are given out in the order of the devices, not of the assignment.
  Miscompile([](Lines& lines, PJRT_LoadedExecutable* compiled) {
    ARGS(PJRT_LoadedExecutable_AddressableDevices, list);
    list.executable = compiled;
    if (!Ask(Base().PJRT_LoadedExecutable_AddressableDevices, list) || list.num_addressable_devices < 2) return false;
    std::vector<int64_t> ids;
    for (size_t i = 0; i < list.num_addressable_devices; ++i) ids.push_back(IdOf(list.addressable_devices[i]));
    if (std::is_sorted(ids.begin(), ids.end())) return false;
    std::string table = "[";
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto smaller = std::count_if(ids.begin(), ids.end(), [&](int64_t id) { return id < ids[i]; });
      table += (i == 0 ? "" : ", ") + std::to_string(smaller);
    }
    table += "]";
    ARGS(PJRT_Executable_NumReplicas, replicas);
    ARGS(PJRT_Executable_NumPartitions, partitions);
    WithExecutable(compiled, [&](PJRT_Executable* executable) {
      replicas.executable = partitions.executable = executable;
      Ask(Base().PJRT_Executable_NumReplicas, replicas);
      Ask(Base().PJRT_Executable_NumPartitions, partitions);
    });
    const std::string name = partitions.num_partitions == 1 ? "replica_id" : replicas.num_replicas == 1 ? "partition_id" : "";
    if (name.empty()) return false;
    Lines changed;
    bool any = false;
    for (const std::string& line : lines) {
      Op op;
      if (!Parse(line, name, op)) {
        changed.push_back(line);
        continue;
      }
      any = true;
      const std::string id = Fresh(), all = Fresh(), one = Fresh(), result = op.result, type = op.result_type;
      const std::string whole = Tensor({static_cast<int64_t>(ids.size())}, "ui32");
      op.result = id;
      changed.push_back(op.Text(name));
      changed.push_back(Constant(op.indent, all, table, whole));
      changed.push_back(Made(op, one, "dynamic_slice", {all, id}, {whole, type}, "tensor<1xui32>",
                             " <{slice_sizes = array<i64: 1>}>"));
      changed.push_back(Made(op, result, "reshape", {one}, {"tensor<1xui32>"}, type));
    }
    lines.swap(changed);
    return any;
  });
}

/** Replaces a function of an extension as ReplaceIn does; `body` says when the fault could be noticed. */
template <class A>
void Hook(PJRT_Error* (*&slot)(A*), std::function<PJRT_Error*(A&, PJRT_Error* (*)(A*))> body) {
  if (slot == nullptr) return Missing("a function of an extension");
  static std::function<PJRT_Error*(A&, PJRT_Error* (*)(A*))> action;
  static PJRT_Error* (*original)(A*) = nullptr;
  action = std::move(body);
  original = slot;
  slot = [](A* args) -> PJRT_Error* { return args == nullptr ? original(args) : action(*args, original); };
}

/** Outputs of some executables are said to have the layouts that the compiler would choose. */
void DefaultOutputLayouts(bool (*of)(const PJRT_Executable*)) {
  auto* layouts = Extension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  if (layouts == nullptr) return;
  MarksItself();
  static SharedSet<const void*> of_outputs;
  Hook<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>(
      layouts->PJRT_Layouts_PJRT_Executable_GetOutputLayouts, [of](auto& args, auto original) -> PJRT_Error* {
        PJRT_Error* error = original(&args);
        if (error != nullptr || !of(args.executable)) return error;
        for (size_t i = 0; i < args.num_outputs; ++i) of_outputs.Add(args.layouts[i]);
        return error;
      });
  Hook<PJRT_Layouts_MemoryLayout_Destroy_Args>(
      layouts->PJRT_Layouts_MemoryLayout_Destroy, [](auto& args, auto original) -> PJRT_Error* {
        of_outputs.Remove(args.layout);
        return original(&args);
      });
  Hook<PJRT_Layouts_MemoryLayout_Serialize_Args>(
      layouts->PJRT_Layouts_MemoryLayout_Serialize, [](auto& args, auto original) -> PJRT_Error* {
        PJRT_Error* error = original(&args);
        if (error != nullptr || !of_outputs.Has(args.layout)) return error;
        const std::string text(args.serialized_bytes, args.serialized_bytes_size);
        std::vector<int64_t> order = Numbers(text.substr(0, text.find(':')));
        if (order.size() < 2) return nullptr;
        std::sort(order.rbegin(), order.rend());
        auto* other = new std::string("{");
        for (size_t i = 0; i < order.size(); ++i) *other += (i == 0 ? "" : ",") + std::to_string(order[i]);
        *other += text.substr(std::min(text.find(':'), text.find('}')));
        if (*other != text) MarkReached();
        args.serialized_bytes = other->data();
        args.serialized_bytes_size = other->size();
        return nullptr;
      });
}

FAULT("layouts-of-outputs-are-default-ones") {
  // The layouts of outputs are asked of the compiler's choice, not of what the program asks for.
  DefaultOutputLayouts([](const PJRT_Executable*) { return true; });
}
FAULT("loaded-output-layouts-lost") {
  // The bytes of an executable say nothing of layouts.
  WatchFromBytes();
  DefaultOutputLayouts([](const PJRT_Executable* executable) { return FromBytes().Has(executable); });
}

namespace ffi = reference::ffi;

/** Handlers of the caller, each with one of this library that calls it. */
constexpr size_t kMostHandlers = 256;
std::array<ffi::Handler*, kMostHandlers> handlers;
template <size_t place>
ffi::Error* CallUnlessWithoutResults(ffi::CallFrame* frame) {
  for (const ffi::ExtensionBase* at = frame->extension_start; at != nullptr; at = at->next) {
    if (at->type == ffi::kMetadataExtension) return handlers[place](frame);
  }
  if (frame->results.size > 0) return handlers[place](frame);
  MarkReached();
  return nullptr;
}
template <size_t... places>
constexpr std::array<ffi::Handler*, sizeof...(places)> Callers(std::index_sequence<places...>) {
  return {CallUnlessWithoutResults<places>...};
}
FAULT("ffi-calls-without-results-eliminated") {
  // A custom call whose results nobody uses is dead code, with or without side effects.
  auto* e = Extension<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI);
  if (e == nullptr) return;
  MarksItself();
  Hook<PJRT_FFI_Register_Handler_Args>(e->register_handler, [](auto& args, auto original) -> PJRT_Error* {
    static std::mutex mutex;
    static size_t used = 0;
    static const auto kCallers = Callers(std::make_index_sequence<kMostHandlers>());
    std::lock_guard<std::mutex> lock(mutex);
    if (args.handler == nullptr || used == kMostHandlers) return original(&args);
    handlers[used] = reinterpret_cast<ffi::Handler*>(args.handler);
    PJRT_FFI_Register_Handler_Args changed = args;
    changed.handler = reinterpret_cast<void*>(kCallers[used++]);
    return original(&changed);
  });
}
FAULT("loaded-shardings-replicated") {
  // The bytes of an executable do not hold shardings: arguments and results are said to be replicated.
  auto* e = Extension<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings);
  if (e == nullptr) return;
  WatchFromBytes();
  MarksItself();
  static constexpr char kReplicated[] = {0x08, 0x00};
  const auto replace = [](const PJRT_Executable* executable, size_t count, const char* const*& shardings, const size_t*& sizes) {
    if (!FromBytes().Has(executable) || shardings == nullptr || count == 0) return;
    for (size_t i = 0; i < count; ++i) {
      if (std::string_view(shardings[i], sizes[i]) != std::string_view(kReplicated, sizeof kReplicated)) MarkReached();
    }
    shardings = (new std::vector<const char*>(count, kReplicated))->data();
    sizes = (new std::vector<size_t>(count, sizeof kReplicated))->data();
  };
  Hook<PJRT_Shardings_PJRT_Executable_ParameterShardings_Args>(
      e->PJRT_Shardings_PJRT_Executable_ParameterShardings, [replace](auto& args, auto original) -> PJRT_Error* {
        PJRT_Error* error = original(&args);
        if (error == nullptr) replace(args.executable, args.num_parameters, args.shardings, args.sharding_sizes);
        return error;
      });
  Hook<PJRT_Shardings_PJRT_Executable_OutputShardings_Args>(
      e->PJRT_Shardings_PJRT_Executable_OutputShardings, [replace](auto& args, auto original) -> PJRT_Error* {
        PJRT_Error* error = original(&args);
        if (error == nullptr) replace(args.executable, args.num_outputs, args.shardings, args.sharding_sizes);
        return error;
      });
}

}  // namespace
