// Where StableHLO leaves the result of a program to the compiler.
#include <algorithm>
#include <set>

#include "habits.h"
#include "rewriting.h"

namespace designs {
namespace {

/** f32 of tensor<2x3xf32>. */
std::string ElementOf(Type type) {
  type.array.dims.clear();
  const std::string scalar = type.ToString();
  return scalar.substr(7, scalar.size() - 8);
}

/** tensor<2x3xi1> for tensor<2x3xf32>. */
std::string Of(const Type& type, const char* element) {
  std::string dims;
  for (const int64_t dim : type.array.dims) dims += std::to_string(dim) + "x";
  return "tensor<" + dims + element + ">";
}

/** A type of integers. */
struct Integer {
  int bits;
  bool is_signed;
};

std::optional<Integer> IntegerOf(const Type& type) {
  static const auto& all = *new std::map<std::string, Integer>{
      {"i8", {8, true}},   {"i16", {16, true}},   {"i32", {32, true}},   {"i64", {64, true}},
      {"ui8", {8, false}}, {"ui16", {16, false}}, {"ui32", {32, false}}, {"ui64", {64, false}}};
  const auto found = all.find(ElementOf(type));
  return found == all.end() ? std::nullopt : std::optional<Integer>(found->second);
}

/** How many parts a dimension is reduced in; 0 if it is reduced at once. */
int64_t PartsOf(int64_t size) {
  for (const int64_t parts : {4, 3, 2, 5, 7}) {
    if (size >= 4 && size % parts == 0 && size > parts) return parts;
  }
  return 0;
}

}  // namespace

/**
 * A sort that need not be stable puts equal elements into the reverse order.
 * StableHLO: "If `is_stable` is true, then the sorting is stable, that is, relative order of elements considered to be equal by the
 * comparator is preserved": nothing is said of the others.
 */
void UnstableSorts() {
  ChangePrograms([](Rewriter& program, Op& op) {
    if (op.name != "stablehlo.sort" || op.Bool("is_stable") || op.result_types[0].array.dims.empty()) return false;
    int64_t dimension = op.Int("dimension");
    if (dimension < 0) dimension += static_cast<int64_t>(op.result_types[0].array.dims.size());
    for (size_t i = 0; i < op.operands.size(); ++i) {
      op.operands[i] = program.Insert(R"(func.func public @main(%x: $T) -> $T {
          %y = "stablehlo.reverse"(%x) <{dimensions = array<i64: $D>}> : ($T) -> $T
          "func.return"(%y) : ($T) -> () })",
                                      {{"$T", op.result_types[i].ToString()}, {"$D", std::to_string(dimension)}},
                                      {op.operands[i]})[0];
    }
    program.Emit(std::move(op));
    return true;
  });
}

/**
 * A reduction over one dimension reduces parts of it first, each with the initial value.
 * StableHLO: `schedule` is "an implementation-defined full binary tree whose in-order traversal consists of" the elements in their
 * order, "Interspersed with an implementation-defined amount of `init_values` at implementation-defined positions."
 */
void ChunkedReductions() {
  ChangePrograms([](Rewriter& program, Op& op) {
    if (op.name != "stablehlo.reduce" || op.operands.size() % 2 != 0) return false;
    const std::vector<int64_t> dimensions = op.Ints("dimensions");
    const size_t count = op.operands.size() / 2;
    if (dimensions.size() != 1 || op.results.size() != count) return false;
    const auto dims = program.TypeOf(op.operands[0]).array.dims;
    const auto dimension = static_cast<size_t>(dimensions[0]);
    const int64_t parts = dimension < dims.size() ? PartsOf(dims[dimension]) : 0;
    if (parts == 0) return false;
    for (size_t i = 0; i < count; ++i) {
      // A reduction in another type has initial values of another type.
      if (program.TypeOf(op.operands[i]).array.type != op.result_types[i].array.type) return false;
    }
    std::vector<int64_t> split = dims, kept = dims;
    split[dimension] = parts;
    split.insert(split.begin() + static_cast<int64_t>(dimension) + 1, dims[dimension] / parts);
    kept[dimension] = parts;
    Op first = program.Copy(op);
    for (size_t i = 0; i < count; ++i) {
      const std::string whole = program.TypeOf(op.operands[i]).ToString();
      Type type = program.TypeOf(op.operands[i]);
      type.array.dims = split;
      first.operands[i] = program.Insert(R"(func.func public @main(%x: $T) -> $S {
          %y = "stablehlo.reshape"(%x) : ($T) -> $S
          "func.return"(%y) : ($S) -> () })",
                                         {{"$T", whole}, {"$S", type.ToString()}}, {op.operands[i]})[0];
      first.result_types[i].array.dims = kept;
      op.operands[i] = first.results[i];
    }
    // What else is said of the op, such as its sharding, is said of its results.
    first.attributes = {{"dimensions", reference::Attribute{std::vector<int64_t>{dimensions[0] + 1}, {}}}};
    program.Emit(std::move(first));
    program.Emit(std::move(op));
    return true;
  });
}

/**
 * A number that an integer cannot hold becomes the least integer, of unsigned ones the largest; so does NaN.
 * StableHLO: "If the truncated value cannot be represented in the destination type, the behavior is TBD (#180)". Intel,
 * CVTTSD2SI: "the indefinite integer value (80000000H) is returned".
 */
void IndefiniteConversions() {
  ChangePrograms([](Rewriter& program, Op& op) {
    if (op.name != "stablehlo.convert") return false;
    const Type& from = program.TypeOf(op.operands[0]);
    const Type& to = op.result_types[0];
    const auto integer = IntegerOf(to);
    if (std::set<std::string>{"f16", "bf16", "f32", "f64"}.count(ElementOf(from)) == 0 || !integer) return false;
    const auto [bits, is_signed] = *integer;
    // Exact in f64: above `low` (of 64 bits: at least), below `high`.
    const auto power = [](int exponent) {
      return exponent == 64 ? std::string("18446744073709551616") : std::to_string(uint64_t{1} << exponent);
    };
    const std::string high = power(is_signed ? bits - 1 : bits) + ".0";
    const std::string low = !is_signed   ? "-1.0"
                            : bits == 64 ? "-" + high
                                         : "-" + std::to_string((int64_t{1} << (bits - 1)) + 1) + ".0";
    const std::string indefinite =
        is_signed ? "-" + power(bits - 1) : std::to_string(bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1);
    const auto results = program.Insert(
        R"(func.func public @main(%x: $X) -> $Y {
          %w = "stablehlo.convert"(%x) : ($X) -> $W
          %l = "stablehlo.constant"() <{value = dense<$low> : $W}> : () -> $W
          %h = "stablehlo.constant"() <{value = dense<$high> : $W}> : () -> $W
          %i = "stablehlo.constant"() <{value = dense<$indefinite> : $Y}> : () -> $Y
          %a = stablehlo.compare $above, %w, %l, FLOAT : ($W, $W) -> $B
          %b = stablehlo.compare LT, %w, %h, FLOAT : ($W, $W) -> $B
          %c = stablehlo.and %a, %b : $B
          %n = "stablehlo.convert"(%x) : ($X) -> $Y
          %r = "stablehlo.select"(%c, %n, %i) : ($B, $Y, $Y) -> $Y
          "func.return"(%r) : ($Y) -> () })",
        {{"$X", from.ToString()},
         {"$Y", to.ToString()},
         {"$W", Of(from, "f64")},
         {"$B", Of(from, "i1")},
         {"$low", low},
         {"$high", high},
         {"$indefinite", indefinite},
         {"$above", is_signed && bits == 64 ? "GE" : "GT"}},
        op.operands);
    program.Substitute(op.results[0], results[0]);
    return true;
  });
}

/**
 * Integers divided by zero are zero, and so is the remainder.
 * StableHLO says nothing of it; XLA: "Integer division overflow (signed/unsigned division/remainder by zero […]) produces an
 * implementation defined value." ARM, SDIV: "Dividing by zero writes the value zero to the destination register."
 */
void ZeroQuotients() {
  ChangePrograms([](Rewriter& program, Op& op) {
    if (op.name != "stablehlo.divide" && op.name != "stablehlo.remainder") return false;
    const Type& type = op.result_types[0];
    const std::string element = ElementOf(type);
    const bool is_unsigned = element.substr(0, 2) == "ui";
    if ((!is_unsigned && element[0] != 'i') || element == "i1") return false;
    const auto results = program.Insert(
        R"(func.func public @main(%x: $T, %y: $T) -> $T {
          %z = "stablehlo.constant"() <{value = dense<0> : $T}> : () -> $T
          %e = stablehlo.compare EQ, %y, %z, $kind : ($T, $T) -> $B
          %q = $op %x, %y : $T
          %r = "stablehlo.select"(%e, %z, %q) : ($B, $T, $T) -> $T
          "func.return"(%r) : ($T) -> () })",
        {{"$T", type.ToString()}, {"$B", Of(type, "i1")}, {"$kind", is_unsigned ? "UNSIGNED" : "SIGNED"}, {"$op", op.name}},
        op.operands);
    program.Substitute(op.results[0], results[0]);
    return true;
  });
}

/**
 * The default generator of random bits is Threefry.
 * StableHLO: the output is "not guaranteed to be deterministic between implementations"; the reference plugin's is Philox.
 */
void DefaultRng() {
  ChangePrograms([](Rewriter& program, Op& op) {
    if (op.name != "stablehlo.rng_bit_generator" || op.String("rng_algorithm") != "DEFAULT") return false;
    if (program.TypeOf(op.operands[0]).ToString() != "tensor<2xui64>") return false;
    op.attributes["rng_algorithm"].value = std::string("THREE_FRY");
    program.Emit(std::move(op));
    return true;
  });
}

/**
 * All NaNs that arithmetic yields are the same, without a sign and with all other bits set.
 * StableHLO's arithmetic is that of IEEE 754, which does not say which sign a NaN has, and only recommends a payload. CUDA: "there
 * is only one canonical NaN supported for single precision" (forums.developer.nvidia.com/t/68266).
 */
void CanonicalNans() {
  ChangePrograms([](Rewriter& program, Op& op) {
    static const auto& arithmetic = *new std::set<std::string>{
        "stablehlo.add",          "stablehlo.subtract",    "stablehlo.multiply",
        "stablehlo.divide",       "stablehlo.remainder",   "stablehlo.power",
        "stablehlo.sqrt",         "stablehlo.rsqrt",       "stablehlo.cbrt",
        "stablehlo.sine",         "stablehlo.cosine",      "stablehlo.tan",
        "stablehlo.tanh",         "stablehlo.atan2",       "stablehlo.log",
        "stablehlo.log_plus_one", "stablehlo.exponential", "stablehlo.exponential_minus_one",
        "stablehlo.logistic"};
    static const auto& nans = *new std::map<std::string, std::string>{
        {"f16", "0x7FFF"}, {"bf16", "0x7FFF"}, {"f32", "0x7FFFFFFF"}, {"f64", "0x7FFFFFFFFFFFFFFF"}};
    const auto nan = nans.find(ElementOf(op.result_types[0]));
    if (arithmetic.count(op.name) == 0 || nan == nans.end()) return false;
    const ValueId result = op.results[0];
    const Type type = op.result_types[0];
    program.Emit(std::move(op));
    const auto results = program.Insert(
        R"(func.func public @main(%x: $T) -> $T {
          %n = "stablehlo.constant"() <{value = dense<$nan> : $T}> : () -> $T
          %i = stablehlo.compare NE, %x, %x, FLOAT : ($T, $T) -> $B
          %r = "stablehlo.select"(%i, %n, %x) : ($B, $T, $T) -> $T
          "func.return"(%r) : ($T) -> () })",
        {{"$T", type.ToString()}, {"$B", Of(type, "i1")}, {"$nan", nan->second}}, {result});
    program.Substitute(result, results[0]);
    return true;
  });
}

}  // namespace designs
