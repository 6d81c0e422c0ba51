#include "runtime/cost_analysis.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace reference {

namespace {

// Maximum depth of calls that are counted.
constexpr int kDeepest = 32;

double Elements(const Type& type) {
  if (!type.is_tuple) return type.array.type == ElementType::kToken ? 0 : static_cast<double>(type.array.size());
  double sum = 0;
  for (const Type& element : type.elements) sum += Elements(element);
  return sum;
}

double Bytes(const Type& type) {
  if (!type.is_tuple) return static_cast<double>(ByteWidth(type.array.type)) * Elements(type);
  double sum = 0;
  for (const Type& element : type.elements) sum += Bytes(element);
  return sum;
}

bool IsTranscendental(const std::string& name) {
  static const std::set<std::string> names = {
      "stablehlo.exponential", "stablehlo.exponential_minus_one", "stablehlo.log", "stablehlo.log_plus_one",
      "stablehlo.logistic", "stablehlo.tanh", "stablehlo.tan", "stablehlo.sine", "stablehlo.cosine", "stablehlo.power",
      "stablehlo.sqrt", "stablehlo.rsqrt", "stablehlo.cbrt", "stablehlo.atan2"};
  return names.count(name) != 0;
}

// Ops that only move data.
bool IsMovement(const std::string& name) {
  static const std::set<std::string> names = {
      "stablehlo.constant", "stablehlo.iota", "stablehlo.reshape", "stablehlo.transpose", "stablehlo.broadcast_in_dim",
      "stablehlo.slice", "stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice", "stablehlo.pad",
      "stablehlo.concatenate", "stablehlo.reverse", "stablehlo.gather", "stablehlo.tuple",
      "stablehlo.get_tuple_element", "stablehlo.bitcast_convert", "stablehlo.optimization_barrier",
      "stablehlo.custom_call", "stablehlo.while", "stablehlo.if", "stablehlo.case", "call", "return",
      "stablehlo.composite", "stablehlo.all_gather", "stablehlo.collective_permute", "stablehlo.all_to_all"};
  return names.count(name) != 0;
}

class Analyzer {
 public:
  explicit Analyzer(const Module& module) : module_(module) {}

  CostAnalysis Run() {
    const Function& main = module_.main();
    cost_.temp_bytes = static_cast<int64_t>(Visit(main, 0));
    return cost_;
  }

 private:
  using Types = std::unordered_map<ValueId, const Type*>;

  double Visit(const Function& function, int depth) {
    Types types;
    return Visit(function.body, types, depth);
  }

  // Adds up the ops of a block; returns the peak size of its values.
  double Visit(const Block& block, Types& types, int depth) {
    std::unordered_map<ValueId, size_t> last_use;
    for (size_t i = 0; i < block.arguments.size(); i++) types[block.arguments[i]] = &block.argument_types[i];
    for (size_t i = 0; i < block.ops.size(); i++) {
      for (const ValueId id : block.ops[i].operands) last_use[id] = i;
    }
    double live = 0, peak = 0;
    std::map<size_t, double> freed;  // bytes last used by an op
    for (size_t i = 0; i < block.ops.size(); i++) {
      const Op& op = block.ops[i];
      double inside = 0;
      for (const Region& region : op.regions) {
        for (const Block& inner : region.blocks) inside = std::max(inside, Visit(inner, types, depth));
      }
      inside = std::max(inside, VisitCallee(op, depth));
      Count(op, types);
      for (size_t r = 0; r < op.results.size(); r++) {
        types[op.results[r]] = &op.result_types[r];
        const double bytes = Bytes(op.result_types[r]);
        live += bytes;
        const auto last = last_use.find(op.results[r]);
        freed[last == last_use.end() ? i : last->second] += bytes;
      }
      peak = std::max(peak, live + inside);
      const auto ended = freed.find(i);
      if (ended != freed.end()) live -= ended->second;
    }
    return peak;
  }

  double VisitCallee(const Op& op, int depth) {
    const char* attribute = op.name == "call" ? "callee" : op.name == "stablehlo.composite" ? "decomposition" : nullptr;
    const Attribute* callee = attribute == nullptr ? nullptr : op.Find(attribute);
    const std::string* name = callee == nullptr ? nullptr : callee->get<std::string>();
    if (name == nullptr || depth == kDeepest) return 0;
    const auto function = module_.functions.find(*name);
    if (function == module_.functions.end()) return 0;
    const auto known = peaks_.find(*name);
    if (known != peaks_.end()) {
      // Functions are analysed once: exponentially many calls would be possible.
      cost_.flops += known->second.cost.flops;
      cost_.transcendentals += known->second.cost.transcendentals;
      cost_.bytes_accessed += known->second.cost.bytes_accessed;
      return known->second.peak;
    }
    const CostAnalysis before = cost_;
    const double peak = Visit(function->second, depth + 1);
    Callee& entry = peaks_[*name];
    entry.peak = peak;
    entry.cost.flops = cost_.flops - before.flops;
    entry.cost.transcendentals = cost_.transcendentals - before.transcendentals;
    entry.cost.bytes_accessed = cost_.bytes_accessed - before.bytes_accessed;
    return peak;
  }

  void Count(const Op& op, const Types& types) {
    double operands = 0, results = 0, first = 0;
    for (size_t i = 0; i < op.operands.size(); i++) {
      const auto type = types.find(op.operands[i]);
      if (type == types.end()) continue;
      cost_.bytes_accessed += Bytes(*type->second);
      operands += Elements(*type->second);
      if (i == 0) first = Elements(*type->second);
    }
    for (const Type& type : op.result_types) {
      cost_.bytes_accessed += Bytes(type);
      results += Elements(type);
    }
    if (IsTranscendental(op.name)) {
      cost_.transcendentals += results;
    } else if (op.name == "stablehlo.dot_general" || op.name == "stablehlo.dot") {
      cost_.flops += 2 * results * Contracted(op, types);
    } else if (op.name == "stablehlo.convolution") {
      const auto kernel = op.operands.size() > 1 ? types.find(op.operands[1]) : types.end();
      const double outputs = kernel == types.end() ? 1 : std::max(1.0, OutputFeatures(op, *kernel->second));
      cost_.flops += kernel == types.end() ? 0 : 2 * results * Elements(*kernel->second) / outputs;
    } else if (op.name == "stablehlo.reduce" || op.name == "stablehlo.reduce_window") {
      cost_.flops += std::max(0.0, op.name == "stablehlo.reduce" ? operands - results : first);
    } else if (!IsMovement(op.name)) {
      cost_.flops += results;
    }
  }

  // Number of products per element of a dot.
  static double Contracted(const Op& op, const Types& types) {
    const auto lhs = op.operands.empty() ? types.end() : types.find(op.operands[0]);
    if (lhs == types.end() || lhs->second->is_tuple) return 1;
    const Dims& dims = lhs->second->array.dims;
    if (op.name == "stablehlo.dot") return dims.empty() ? 1 : static_cast<double>(dims.back());
    double product = 1;
    if (const Attribute* attribute = op.Find("lhs_contracting_dimensions")) {
      if (const auto* contracting = attribute->get<std::vector<int64_t>>()) {
        for (const int64_t dim : *contracting) {
          if (dim < 0 || dim >= static_cast<int64_t>(dims.size())) continue;
          product *= static_cast<double>(dims[static_cast<size_t>(dim)]);
        }
      }
    }
    return product;
  }

  static double OutputFeatures(const Op& op, const Type& kernel) {
    const Attribute* attribute = op.Find("kernel_output_feature_dimension");
    const int64_t* dim = attribute == nullptr ? nullptr : attribute->get<int64_t>();
    if (dim == nullptr || *dim < 0 || *dim >= static_cast<int64_t>(kernel.array.dims.size())) return 1;
    return static_cast<double>(kernel.array.dims[static_cast<size_t>(*dim)]);
  }

  struct Callee {
    CostAnalysis cost;
    double peak = 0;
  };

  const Module& module_;
  CostAnalysis cost_;
  std::map<std::string, Callee> peaks_;
};

}  // namespace

CostAnalysis AnalyzeCost(const Module& module) { return Analyzer(module).Run(); }

}  // namespace reference
