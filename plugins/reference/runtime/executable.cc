#include "runtime/executable.h"

#include <cstdio>
#include <utility>

#include "base/design.h"
#include "base/fault.h"
#include "interpreter/interpreter.h"
#include "ir/hlo.h"
#include "runtime/bytes.h"
#include "runtime/custom_call.h"
#include "runtime/device_format.h"
#include "runtime/layout_text.h"
#include "runtime/partitioned_text.h"

namespace reference {

namespace {

constexpr std::string_view kMagic = "PJRT reference executable 1\n";

const std::string* TextOf(const Dictionary& attributes, const char* name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : found->second.get<std::string>();
}

MemoryKind MemoryKindOf(const Dictionary& attributes, const std::string& place) {
  const std::string* text = TextOf(attributes, "mhlo.memory_kind");
  if (text == nullptr) return MemoryKind::kDevice;
  if (ThisDesign().no_memories) throw Unimplemented(place + " is wanted in a memory, of which this plugin has none");
  for (int kind = 0; kind < kNumMemoryKinds; kind++) {
    if (*text == MemoryKindName(static_cast<MemoryKind>(kind))) return static_cast<MemoryKind>(kind);
  }
  throw InvalidArgument(place + " is wanted in a memory of the kind \"" + *text + "\", of which there is none");
}

ProgramValue ReadValue(const Type& type, const Dictionary& attributes, const MeshTable& meshes,
                       const CompileOptions& options, const std::string& place) {
  ProgramValue value;
  value.whole = type.array;
  for (const int64_t dim : value.whole.dims) {
    if (dim < 0) throw Unimplemented(place + " has a dimension of no fixed size: " + type.ToString());
  }
  value.local = value.whole;
  if (options.spmd) {
    value.sharding = FindSharding(attributes, meshes);
    if (value.sharding) {
      CheckSharding(*value.sharding, options.num_partitions, place);
      if (value.sharding->kind == Sharding::kTiled) {
        value.local.dims = ShardOf(*value.sharding, value.whole.dims, 0).shape;
      }
    }
  }
  value.memory_kind = MemoryKindOf(attributes, place);
  const std::string* layout = TextOf(attributes, "mhlo.layout_mode");
  const bool chosen = layout != nullptr && *layout != "default" && *layout != "auto" &&
                      !FAULT("inside-layout-mode-ignored");
  value.layout = chosen ? ParseLayout(*layout, value.local) : DefaultLayout(value.local);
  return value;
}

std::string Hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// Fields of the attribute mhlo.input_output_alias.
const Dictionary* DictionaryOf(const Attribute* attribute) {
  const auto* dictionary = attribute == nullptr ? nullptr : attribute->get<std::shared_ptr<Dictionary>>();
  return dictionary == nullptr ? nullptr : dictionary->get();
}

const Attribute* Find(const Dictionary& dictionary, const char* name) {
  const auto found = dictionary.find(name);
  return found == dictionary.end() ? nullptr : &found->second;
}

}  // namespace

std::shared_ptr<const Executable> Executable::Compile(std::string_view code, std::string_view format,
                                                      CompileOptions options, const Topology& topology) {
  if (format == "hlo_with_config") return Compile(ModuleWithoutConfig(code), "hlo", std::move(options), topology);
  if (format == "hlo") return Compile(TextOfHlo(code), "mlir", std::move(options), topology);
  if (format != "mlir") {
    throw InvalidArgument("there is no program format \"" + std::string(format) + "\"; what is compiled is mlir and hlo");
  }
  if (options.assignment) {
    for (const int id : options.assignment->devices) {
      if (id >= topology.num_devices()) {
        throw InvalidArgument("the device assignment names device " + std::to_string(id) + "; there are " +
                              std::to_string(topology.num_devices()));
      }
    }
  }
  if (options.num_replicas * options.num_partitions > topology.num_devices()) {
    throw InvalidArgument(std::to_string(options.num_replicas) + " replicas of " +
                          std::to_string(options.num_partitions) + " partitions are more than the " +
                          std::to_string(topology.num_devices()) + " devices there are");
  }
  if (ThisDesign().no_collectives && options.num_replicas * options.num_partitions > 1) {
    throw Unimplemented("programs run on one device, not on " + std::to_string(options.num_replicas) + " replicas of " +
                        std::to_string(options.num_partitions) + " partitions");
  }
  if (options.device_ordinal >= topology.num_devices()) {
    throw InvalidArgument("there is no device " + std::to_string(options.device_ordinal));
  }
  return std::shared_ptr<const Executable>(new Executable(code, std::move(options), topology));
}

Executable::Executable(std::string_view code, CompileOptions options, const Topology& topology)
    : code_(code), options_(std::move(options)), topology_(topology) {
  Module module = ReadProgram(code_);
  module.main();
  name_ = module.name.empty() ? "main" : module.name;
  const bool partitioned = options_.spmd && options_.num_partitions > 1;
  if (!partitioned) text_ = Print(module);
  cost_ = AnalyzeCost(module);
  fingerprint_ = Hexadecimal(Hash(code_)) + Hexadecimal(Hash(options_.serialized, code_.size()));
  const MeshTable meshes = Meshes(module);
  program_ = Partition(std::move(module), options_.num_partitions);
  const Function& main = program_.module.main();
  ReadValues(main, meshes);
  if (partitioned) text_ = PartitionedText(program_, parameters_, outputs_);
  ReadAliases(program_.module, main);
  Environment environment;
  environment.num_replicas = options_.num_replicas;
  environment.num_partitions = options_.num_partitions;
  environment.find_custom_call = [](const std::string& target) -> CustomCall {
    if (!IsBorder(target) && !HasCustomCall(target)) return nullptr;
    return [](const Op&, const std::vector<Array>& operands) { return operands; };
  };
  CheckSupported(program_.module, environment);
}

void Executable::ReadValues(const Function& main, const MeshTable& meshes) {
  static const Dictionary kNone;
  const auto attributes = [](const std::vector<Dictionary>& all, size_t i) -> const Dictionary& {
    return i < all.size() ? all[i] : kNone;
  };
  for (size_t i = 0; i < main.argument_types.size(); i++) {
    ProgramParameter parameter;
    static_cast<ProgramValue&>(parameter) = ReadValue(main.argument_types[i], attributes(main.argument_attributes, i),
                                                      meshes, options_, "argument " + std::to_string(i) + " of @main");
    parameters_.push_back(std::move(parameter));
  }
  for (size_t i = 0; i < main.result_types.size(); i++) {
    outputs_.push_back(ReadValue(main.result_types[i], attributes(main.result_attributes, i), meshes, options_,
                                 "result " + std::to_string(i) + " of @main"));
  }
}

void Executable::ReadAliases(const Module& module, const Function& main) {
  std::vector<bool> taken(outputs_.size());
  const auto alias = [&](int64_t parameter, int64_t output, bool must) {
    if (parameter < 0 || parameter >= static_cast<int64_t>(parameters_.size()) || output < 0 ||
        output >= static_cast<int64_t>(outputs_.size())) {
      throw InvalidArgument("argument " + std::to_string(parameter) + " is to take the place of result " +
                            std::to_string(output) + ", but the program has " + std::to_string(parameters_.size()) +
                            " arguments and " + std::to_string(outputs_.size()) + " results");
    }
    if (taken[static_cast<size_t>(output)]) {
      throw InvalidArgument("two arguments are to take the place of result " + std::to_string(output));
    }
    if (must && ThisDesign().no_donation) {
      throw Unimplemented("argument " + std::to_string(parameter) + " has to be donated, but arguments stay as they are");
    }
    taken[static_cast<size_t>(output)] = true;
    ProgramParameter& entry = parameters_[static_cast<size_t>(parameter)];
    entry.alias_output = static_cast<int>(output);
    entry.must_alias = must;
  };
  for (size_t i = 0; i < parameters_.size() && i < main.argument_attributes.size(); i++) {
    const Attribute* output = Find(main.argument_attributes[i], "tf.aliasing_output");
    const int64_t* index = output == nullptr ? nullptr : output->get<int64_t>();
    if (index != nullptr) alias(static_cast<int64_t>(i), *index, false);
  }
  const Attribute* table = Find(module.attributes, "mhlo.input_output_alias");
  const auto* entries = table == nullptr ? nullptr : table->get<std::shared_ptr<std::vector<Attribute>>>();
  for (const Attribute& entry : entries == nullptr ? std::vector<Attribute>() : **entries) {
    const Dictionary* pair = DictionaryOf(&entry);
    const Dictionary* from = pair == nullptr ? nullptr : DictionaryOf(Find(*pair, "alias"));
    const Attribute* to = pair == nullptr ? nullptr : Find(*pair, "output_index");
    const Attribute* parameter = from == nullptr ? nullptr : Find(*from, "parameter_number");
    const int64_t* number = parameter == nullptr ? nullptr : parameter->get<int64_t>();
    const auto* index = to == nullptr ? nullptr : to->get<std::vector<int64_t>>();
    if (number == nullptr || index == nullptr) throw InvalidArgument("mhlo.input_output_alias is not as it has to be");
    const std::string* kind = TextOf(*from, "kind");
    alias(*number, index->empty() ? 0 : index->front(), kind != nullptr && *kind == "must_alias");
  }
  // Donors get the first output that they fit.
  for (size_t i = 0; i < parameters_.size() && i < main.argument_attributes.size(); i++) {
    const Attribute* donor = Find(main.argument_attributes[i], "jax.buffer_donor");
    const bool* offered = donor == nullptr ? nullptr : donor->get<bool>();
    if (donor == nullptr || parameters_[i].alias_output >= 0 || (offered != nullptr && !*offered)) continue;
    for (size_t output = 0; output < outputs_.size(); output++) {
      if (taken[output] || outputs_[output].local != parameters_[i].local ||
          outputs_[output].memory_kind != parameters_[i].memory_kind) {
        continue;
      }
      alias(static_cast<int64_t>(i), static_cast<int64_t>(output), false);
      break;
    }
  }
}

std::shared_ptr<const Executable> Executable::WithOptions(CompileOptions options) const {
  return Compile(code_, "mlir", std::move(options), topology_);
}

std::string Executable::Serialize() const {
  ByteWriter writer(kMagic);
  writer.Number(static_cast<uint64_t>(topology_.num_processes()));
  writer.Number(static_cast<uint64_t>(topology_.devices_per_process()));
  writer.Text(options_.serialized);
  writer.Text(code_);
  return std::move(writer).Finish();
}

std::shared_ptr<const Executable> Executable::Deserialize(std::string_view bytes) {
  ByteReader reader(bytes, kMagic, "executable");
  const uint64_t processes = reader.Number();
  const uint64_t devices = reader.Number();
  const std::string_view options = reader.Text();
  const std::string_view code = reader.Text();
  reader.End();
  return Compile(code, "mlir", CompileOptions::Parse(options),
                 Topology(static_cast<int64_t>(processes), static_cast<int64_t>(devices)));
}

}  // namespace reference
