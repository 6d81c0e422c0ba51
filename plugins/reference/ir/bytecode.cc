// Converts the ops of an artifact (VHLO, Shardy and builtin) to the canonical module.

#include <algorithm>

#include "ir/bytecode_adapt.h"
#include "ir/bytecode_attributes.h"
#include "ir/bytecode_container.h"
#include "ir/bytecode_ops.h"
#include "ir/ir.h"
#include "ir/op_table.h"
#include "ir/sharding.h"

namespace reference {
namespace {

constexpr uint8_t kHasAttributes = 1, kHasResults = 2, kHasOperands = 4, kHasSuccessors = 8, kHasRegions = 16,
                  kHasUseLists = 32, kHasProperties = 64;
constexpr uint8_t kOperationsSection = 4;
constexpr ValueId kUnset = -1;

bool IsIdentity(std::string_view name) {
  return name == "builtin.unrealized_conversion_cast" || name == "sdy.sharding_constraint" || name == "sdy.reshard" ||
         name == "sdy.data_flow_edge" || name == "sdy.propagation_barrier";
}

class ProgramReader {
 public:
  explicit ProgramReader(std::string_view bytes) : container_(ReadContainer(bytes)), attributes_(container_) {}

  Module Read() {
    module_.stablehlo_version = container_.VersionText();
    Cursor cursor = container_.operations;
    Cursor::Flagged head = cursor.FlaggedVarint();
    if (head.value != 1 || head.flag) cursor.Fail("one op was expected, the module");
    Head op = ReadHead(cursor);
    if (op.name != "builtin.module" || !op.results.empty() || !op.operands.empty() || op.regions != 1) {
      cursor.Fail("the op " + op.name + " instead of a module");
    }
    for (const auto& [name, node] : op.inherent) {
      if (*name == "sym_name") module_.name = Text(*node, "the name of a module");
    }
    for (const auto& [name, node] : op.others) module_.attributes[*name] = Copy(*node);
    std::vector<Region> regions;
    ReadRegions(cursor, op, nullptr, nullptr, regions);
    cursor.ExpectEnd();
    ExpandGroups(module_, attributes_);
    return std::move(module_);
  }

 private:
  // Value numbers of a region, continuing those of the enclosing regions.
  struct Frame {
    uint64_t base;
    uint64_t count;
    std::vector<ValueId> values;  // those seen so far
  };

  // An op up to its regions.
  struct Head {
    std::string name;
    const ArtifactOp* info = nullptr;
    std::string location;
    std::vector<std::pair<const std::string*, AttributeNode*>> inherent, others;
    std::vector<const TypeNode*> results;
    std::vector<ValueId> operands;
    uint64_t regions = 0;
    bool isolated = false;
  };

  // ---- attributes

  std::string Text(AttributeNode& node, const char* what) {
    const std::string* text = attributes_.Value(node).get<std::string>();
    if (text == nullptr) throw InvalidArgument(std::string("artifact: ") + what + " is no string");
    attributes_.Charge(text->size());
    return *text;
  }

  Attribute Copy(AttributeNode& node) {
    attributes_.Charge(node.cost);
    return attributes_.Value(node);
  }

  // ---- values

  ValueId Lookup(Cursor& cursor, uint64_t number) {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (number < frame->base) continue;
      if (number - frame->base >= frame->values.size()) break;
      ValueId id = frame->values[static_cast<size_t>(number - frame->base)];
      if (id == kUnset) break;
      return id;
    }
    cursor.Fail("the value " + std::to_string(number) + " is used before it is defined");
  }

  // The next value of the innermost region.
  void Bind(Cursor& cursor, ValueId id) {
    if (frames_.empty() || frames_.back().values.size() >= frames_.back().count) {
      cursor.Fail("more values than the region announced");
    }
    frames_.back().values.push_back(id);
  }

  // A value with a number of its own.
  ValueId Define(Cursor& cursor, const TypeNode& type) {
    const Type& value_type = attributes_.ValueType(type);
    attributes_.Charge(type.cost + 16);
    if (value_types_.size() >= (size_t{1} << 30)) cursor.Fail("too many values");
    value_types_.push_back(&value_type);
    return static_cast<ValueId>(value_types_.size() - 1);
  }

  // The results of an op are numbered before its regions are read, and get their values after that.
  struct Places {
    size_t frame;
    size_t first;
  };
  Places Reserve(Cursor& cursor, size_t count) {
    if (frames_.empty()) cursor.Fail("an op outside a region");
    Places places{frames_.size() - 1, frames_.back().values.size()};
    for (size_t i = 0; i < count; ++i) Bind(cursor, kUnset);
    return places;
  }
  void Fill(const Places& places, size_t index, ValueId id) { frames_[places.frame].values[places.first + index] = id; }

  // ---- ops

  Head ReadHead(Cursor& cursor) {
    Head op;
    std::string place = "artifact, byte " + std::to_string(cursor.position());
    const Container::OpName& name = container_.op_names[cursor.Index(container_.op_names.size(), "op name")];
    op.name = name.Full();
    op.info = FindArtifactOp(op.name);
    uint8_t mask = cursor.Byte();
    if (mask & 0x80) cursor.Fail("an op with the unknown field 80");
    op.location = attributes_.Location(cursor.Varint());
    if (op.location.empty()) op.location = std::move(place);
    if (op.info == nullptr) {
      throw InvalidArgument(op.location + ": the op " + op.name + " is not known (artifact of StableHLO " +
                            container_.VersionText() + ")");
    }
    attributes_.Charge(400);
    if (mask & kHasAttributes) SortAttributes(cursor, attributes_.GetAttribute(cursor.Varint()), op);
    if (mask & kHasProperties) ReadProperties(cursor, name.registered, op);
    if (mask & kHasResults) {
      for (uint64_t n = cursor.Count(); n > 0; --n) op.results.push_back(&attributes_.GetType(cursor.Varint()));
    }
    if (mask & kHasOperands) {
      for (uint64_t n = cursor.Count(); n > 0; --n) op.operands.push_back(Lookup(cursor, cursor.Varint()));
    }
    if (mask & kHasSuccessors && cursor.Count() != 0) cursor.Fail("an op with successors");
    if (mask & kHasUseLists) SkipUseLists(cursor, op.results.size());
    if (mask & kHasRegions) {
      Cursor::Flagged regions = cursor.FlaggedVarint();
      op.regions = cursor.CheckedCount(regions.value);
      op.isolated = regions.flag;
    }
    return op;
  }

  // The dictionary of an op: before property records it held the inherent attributes too.
  void SortAttributes(Cursor& cursor, AttributeNode& node, Head& op) {
    if (node.kind != AttributeNode::kDictionary) cursor.Fail("the attributes of an op are no dictionary");
    for (const auto& [name, item] : node.items) {
      bool inherent = container_.format < kFormatProperties &&
                      std::any_of(op.info->properties.begin(), op.info->properties.end(),
                                  [name = name](const auto& property) { return property.name == *name; });
      (inherent ? op.inherent : op.others).emplace_back(name, item);
    }
  }

  void ReadProperties(Cursor& cursor, bool registered, Head& op) {
    if (container_.format < kFormatProperties) cursor.Fail("a property record in an old format");
    const Container::Span& span = container_.properties[cursor.Index(container_.properties.size(), "property record")];
    Cursor record(container_.bytes, span.begin, span.end, "property record");
    if (!registered) {
      AttributeNode& node = attributes_.GetAttribute(record.Varint());
      if (node.kind != AttributeNode::kDictionary) record.Fail("the properties of an op are no dictionary");
      op.inherent = node.items;
    } else {
      for (const ArtifactOp::Property& property : op.info->properties) {
        uint64_t index;
        if (property.optional) {
          Cursor::Flagged attribute = record.FlaggedVarint();
          if (!attribute.flag) continue;
          index = attribute.value;
        } else {
          index = record.Varint();
        }
        op.inherent.emplace_back(&property.name, &attributes_.GetAttribute(index));
      }
    }
    record.ExpectEnd();
  }

  static void SkipUseLists(Cursor& cursor, size_t values) {
    uint64_t entries = values == 1 ? 1 : cursor.Count();
    for (; entries > 0; --entries) {
      if (values != 1) cursor.Varint();
      for (uint64_t n = cursor.CheckedCount(cursor.FlaggedVarint().value); n > 0; --n) cursor.Varint();
    }
  }

  // The ops of a block go to `out`, which is null only in the module itself. Given arguments replace those of the
  // block, whose ops then belong to the enclosing block.
  void ReadRegions(Cursor& cursor, const Head& op, Block* around, const std::vector<ValueId>* given,
                   std::vector<Region>& out) {
    if (++depth_ > kMaxNesting) cursor.Fail("regions are nested too deeply");
    std::vector<Frame> outer;
    Cursor nested;
    Cursor* at = &cursor;
    if (op.isolated) {
      outer.swap(frames_);
      if (container_.format >= kFormatNestedSections) {
        Section section = ReadSection(cursor);
        if (section.id != kOperationsSection) cursor.Fail("a section of operations was expected");
        nested = section.data;
        at = &nested;
      }
    }
    bool of_module = op.name == "builtin.module";
    for (uint64_t i = 0; i < op.regions; ++i) {
      Region region;
      uint64_t blocks = at->Varint();
      if (blocks > 1) at->Fail("a region of several blocks");
      if (blocks == 1) {
        uint64_t base = frames_.empty() ? 0 : frames_.back().base + frames_.back().count;
        frames_.push_back({base, at->Count(), {}});
        Block block;
        ReadBlock(*at, of_module, given ? *around : block, given);
        if (frames_.back().values.size() != frames_.back().count) at->Fail("a region lacks values");
        frames_.pop_back();
        if (!given) region.blocks.push_back(std::move(block));
      }
      out.push_back(std::move(region));
    }
    if (at == &nested) nested.ExpectEnd();
    if (op.isolated) frames_.swap(outer);
    --depth_;
  }

  void ReadBlock(Cursor& cursor, bool of_module, Block& block, const std::vector<ValueId>* given) {
    Cursor::Flagged ops = cursor.FlaggedVarint();
    uint64_t arguments = 0;
    if (ops.flag) {
      arguments = cursor.Count();
      for (uint64_t i = 0; i < arguments; ++i) {
        Cursor::Flagged type{0, true};
        if (container_.format >= kFormatOptionalArgumentLocations) {
          type = cursor.FlaggedVarint();
        } else {
          type.value = cursor.Varint();
        }
        const TypeNode& node = attributes_.GetType(type.value);
        if (type.flag) cursor.Varint();
        if (given) {
          if (i >= given->size() || *value_types_[static_cast<size_t>((*given)[i])] != attributes_.ValueType(node)) {
            cursor.Fail("a region whose arguments are not the operands of its op");
          }
          Bind(cursor, (*given)[i]);
        } else {
          block.arguments.push_back(Define(cursor, node));
          block.argument_types.push_back(node.type);
          Bind(cursor, block.arguments.back());
        }
      }
      if (container_.format >= kFormatUseLists && cursor.Byte() != 0) SkipUseLists(cursor, arguments);
    }
    if (of_module && arguments > 0) cursor.Fail("a module with arguments");
    for (uint64_t i = 0; i < ops.value; ++i) {
      Head op = ReadHead(cursor);
      if (of_module) {
        ReadModuleOp(cursor, op);
      } else {
        ReadOp(cursor, op, block);
      }
    }
  }

  void ReadModuleOp(Cursor& cursor, Head& op) {
    if (op.name == "vhlo.func_v1") return ReadFunction(cursor, op);
    if (op.name != "sdy.mesh" || op.regions != 0) {
      throw InvalidArgument(op.location + ": the op " + op.name + " stands in the module itself");
    }
    std::string name;
    Attribute mesh;
    for (const auto& [key, node] : op.inherent) {
      if (*key == "sym_name") name = Text(*node, "the name of a mesh");
      if (*key == "mesh" && node->kind == AttributeNode::kMesh) mesh = Copy(*node);
    }
    if (mesh.get<std::string>() == nullptr) throw InvalidArgument(op.location + ": sdy.mesh without a mesh");
    Attribute& meshes = module_.attributes[kMeshesAttribute];
    if (meshes.get<std::shared_ptr<Dictionary>>() == nullptr) meshes.value = std::make_shared<Dictionary>();
    (**std::get_if<std::shared_ptr<Dictionary>>(&meshes.value))[name] = std::move(mesh);
  }

  std::vector<Dictionary> Dictionaries(const Head& op, AttributeNode& node, size_t count, const char* what) {
    std::vector<Dictionary> out(count);
    const auto* list = attributes_.Value(node).get<std::shared_ptr<std::vector<Attribute>>>();
    if (list != nullptr && (*list)->empty()) return out;
    if (list == nullptr || (*list)->size() != count) {
      throw InvalidArgument(op.location + ": not one dictionary for each of the " + what);
    }
    attributes_.Charge(node.cost);
    for (size_t i = 0; i < count; ++i) {
      const auto* items = (**list)[i].get<std::shared_ptr<Dictionary>>();
      if (items == nullptr) throw InvalidArgument(op.location + ": not one dictionary for each of the " + what);
      out[i] = **items;
    }
    return out;
  }

  void ReadFunction(Cursor& cursor, Head& op) {
    Function function;
    AttributeNode* argument_attributes = nullptr;
    AttributeNode* result_attributes = nullptr;
    const TypeNode* type = nullptr;
    for (const auto& [key, node] : op.inherent) {
      if (*key == "sym_name") function.name = Text(*node, "the name of a function");
      if (*key == "sym_visibility") {
        std::string visibility = Text(*node, "the visibility of a function");
        function.is_public = visibility.empty() || visibility == "public";
      }
      if (*key == "arg_attrs") argument_attributes = node;
      if (*key == "res_attrs") result_attributes = node;
      if (*key == "function_type") type = node->type;
    }
    for (const auto& [key, node] : op.others) function.attributes[*key] = Copy(*node);
    if (type == nullptr || type->kind != TypeNode::kFunction || function.name.empty() || op.regions != 1 ||
        !op.results.empty()) {
      throw InvalidArgument(op.location + ": a function without a name, a type or a body");
    }
    auto copy_types = [&](const std::vector<const TypeNode*>& from, std::vector<Type>& to) {
      for (const TypeNode* node : from) {
        attributes_.Charge(node->cost);
        to.push_back(attributes_.ValueType(*node));
      }
    };
    copy_types(type->inputs, function.argument_types);
    copy_types(type->outputs, function.result_types);
    function.argument_attributes.resize(function.argument_types.size());
    function.result_attributes.resize(function.result_types.size());
    if (argument_attributes != nullptr) {
      function.argument_attributes =
          Dictionaries(op, *argument_attributes, function.argument_types.size(), "arguments of a function");
    }
    if (result_attributes != nullptr) {
      function.result_attributes =
          Dictionaries(op, *result_attributes, function.result_types.size(), "results of a function");
    }
    value_types_.clear();
    std::vector<Region> regions;
    ReadRegions(cursor, op, nullptr, nullptr, regions);
    if (regions[0].blocks.size() != 1) {
      throw InvalidArgument(op.location + ": the function @" + function.name.substr(0, 200) + " has no body");
    }
    function.body = std::move(regions[0].blocks[0]);
    function.value_count = static_cast<ValueId>(value_types_.size());
    if (function.body.argument_types != function.argument_types) {
      throw InvalidArgument(op.location + ": the arguments of @" + function.name.substr(0, 200) +
                            " are of other types than its type says");
    }
    std::string name = function.name;
    if (!module_.functions.emplace(name, std::move(function)).second) {
      throw InvalidArgument(op.location + ": a second function @" + name.substr(0, 200));
    }
  }

  void ReadOp(Cursor& cursor, Head& head, Block& block) {
    if (IsIdentity(head.name)) return ReadIdentity(cursor, head);
    if (head.name == "sdy.named_computation") return ReadNamedComputation(cursor, head, block);
    if (head.name == "sdy.sharding_group") return;
    if (head.name == "vhlo.func_v1" || head.name == "builtin.module" || head.name == "sdy.mesh") {
      throw InvalidArgument(head.location + ": the op " + head.name + " stands inside a function");
    }
    Op op;
    op.name = head.name == "sdy.constant" ? "stablehlo.constant" : head.info->canonical;
    op.location = head.location;
    op.operands = head.operands;
    Places places = Reserve(cursor, head.results.size());
    const OpInfo* info = FindOp(op.name);
    if (info == nullptr) {
      throw Unimplemented(op.location + ": the op " + op.name + " is not implemented");
    }
    for (const auto& [key, node] : head.others) op.attributes[*key] = Copy(*node);
    for (const auto& [key, node] : head.inherent) {
      const AttributeRule* rule = info->Find(*key);
      if (rule == nullptr) continue;  // newer versions of the op omit it
      try {
        op.attributes[*key] = AdaptAttribute(*rule, *node, attributes_);
      } catch (Error& error) {
        throw Error(error.code, op.location + ": " + op.name + ": " + error.message);
      }
    }
    ReadRegions(cursor, head, nullptr, nullptr, op.regions);
    for (const TypeNode* type : head.results) {
      op.results.push_back(Define(cursor, *type));
      op.result_types.push_back(type->type);
      Fill(places, op.results.size() - 1, op.results.back());
    }
    std::vector<Type> operand_types;
    for (ValueId id : op.operands) operand_types.push_back(*value_types_[static_cast<size_t>(id)]);
    FillDefaults(op, operand_types);
    block.ops.push_back(std::move(op));
  }

  // Ops that only annotate sharding, or convert between dialect types: the operands under new numbers.
  void ReadIdentity(Cursor& cursor, const Head& op) {
    bool good = op.operands.size() == op.results.size() && op.regions == 0;
    for (size_t i = 0; good && i < op.operands.size(); ++i) {
      good = *value_types_[static_cast<size_t>(op.operands[i])] == attributes_.ValueType(*op.results[i]);
    }
    if (!good) throw InvalidArgument(op.location + ": " + op.name + " changes the type of a value");
    for (ValueId id : op.operands) Bind(cursor, id);
  }

  // A region that only has a name: its ops go into the enclosing block.
  void ReadNamedComputation(Cursor& cursor, const Head& op, Block& block) {
    if (op.regions != 1) throw InvalidArgument(op.location + ": sdy.named_computation without its region");
    size_t ops = block.ops.size();
    Places places = Reserve(cursor, op.results.size());
    std::vector<Type> types;
    for (const TypeNode* type : op.results) {
      attributes_.Charge(type->cost);
      types.push_back(attributes_.ValueType(*type));
    }
    std::vector<Region> regions;
    ReadRegions(cursor, op, &block, &op.operands, regions);
    bool good = block.ops.size() > ops && block.ops.back().name == "return" &&
                block.ops.back().operands.size() == types.size();
    for (size_t i = 0; good && i < types.size(); ++i) {
      ValueId id = block.ops.back().operands[i];
      good = *value_types_[static_cast<size_t>(id)] == types[i];
      Fill(places, i, id);
    }
    if (!good) throw InvalidArgument(op.location + ": sdy.named_computation does not return its results");
    block.ops.pop_back();
  }

  Container container_;
  AttributeReader attributes_;
  Module module_;
  std::vector<Frame> frames_;
  std::vector<const Type*> value_types_;  // of the function
  int depth_ = 0;
};

}  // namespace

Module ReadArtifact(std::string_view bytes) {
  Module module = ProgramReader(bytes).Read();
  Verify(module);
  return module;
}

}  // namespace reference
