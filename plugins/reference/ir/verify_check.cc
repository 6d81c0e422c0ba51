// Helpers of the rules of ops.
#include <algorithm>

#include "ir/verify.h"

namespace reference {
namespace {

// Tolerances belong to one mode only.
bool IsAccuracy(const Dictionary& fields) {
  auto field = [&](const char* name) -> const Attribute& {
    static const Attribute absent;
    auto found = fields.find(name);
    return found == fields.end() ? absent : found->second;
  };
  const double* atol = field("atol").get<double>();
  const double* rtol = field("rtol").get<double>();
  const int64_t* ulps = field("ulps").get<int64_t>();
  const std::string* mode = field("mode").get<std::string>();
  if (!atol || !rtol || !ulps || !mode || *atol < 0 || *rtol < 0 || *ulps < 0) return false;
  if (*mode == "TOLERANCE") return true;
  return (*mode == "DEFAULT" || *mode == "HIGHEST") && *atol == 0 && *rtol == 0 && *ulps == 0;
}

std::string ToText(Wide value) {
  if (value < 0) return "-" + ToText(-value);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

}  // namespace

void OpCheck::Fail(const std::string& message) const {
  throw InvalidArgument(op.location + ": " + op.name + ": " + message);
}

const Type& OpCheck::OperandType(int64_t index) const {
  if (index < 0 || index >= operands()) Fail("has no operand " + std::to_string(index));
  return value_types_[static_cast<size_t>(op.operands[static_cast<size_t>(index)])];
}

std::vector<Type> OpCheck::OperandTypes() const {
  std::vector<Type> types;
  for (int64_t i = 0; i < operands(); ++i) types.push_back(OperandType(i));
  return types;
}

const ArrayType& OpCheck::Operand(int64_t index) const {
  const Type& type = OperandType(index);
  if (type.is_tuple || type.array.type == ElementType::kToken) {
    Fail("operand " + std::to_string(index) + " is a " + type.ToString() + ", not a tensor");
  }
  return type.array;
}

const ArrayType& OpCheck::Result(int64_t index) const {
  if (index < 0 || index >= static_cast<int64_t>(op.result_types.size())) {
    Fail("has no result " + std::to_string(index));
  }
  const Type& type = op.result_types[static_cast<size_t>(index)];
  if (type.is_tuple || type.array.type == ElementType::kToken) {
    Fail("result " + std::to_string(index) + " is a " + type.ToString() + ", not a tensor");
  }
  return type.array;
}

void OpCheck::ExpectResult(int64_t index, const Type& type) const {
  if (index >= static_cast<int64_t>(op.result_types.size())) Fail("has no result " + std::to_string(index));
  const Type& written = op.result_types[static_cast<size_t>(index)];
  if (written != type) {
    Fail("result " + std::to_string(index) + " is a " + type.ToString() + ", the program says " + written.ToString());
  }
}

void OpCheck::ExpectResultDims(int64_t index, const std::vector<Wide>& dims) const {
  const ArrayType& written = Result(index);
  if (WideDims(written.dims) == dims) return;
  std::string text;
  for (Wide dim : dims) text += (text.empty() ? "" : "x") + ToText(dim);
  Fail("result " + std::to_string(index) + " has the dimensions [" + text + "], the program says " +
       written.ToString());
}

void OpCheck::ExpectResult(int64_t index, ElementType type, const std::vector<Wide>& dims) const {
  ExpectResultDims(index, dims);
  ArrayType expected = Result(index);
  expected.type = type;
  ExpectResult(index, expected);
}

void OpCheck::ExpectResults(const std::vector<Type>& types) const {
  if (op.result_types.size() != types.size()) {
    Fail("has " + std::to_string(types.size()) + " results, the program says " +
         std::to_string(op.result_types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) ExpectResult(static_cast<int64_t>(i), types[i]);
}

const std::vector<int64_t>& OpCheck::Ints(const char* name) const {
  const Attribute* attribute = op.Find(name);
  const auto* ints = attribute ? attribute->get<std::vector<int64_t>>() : nullptr;
  if (!ints) Fail(std::string("the attribute ") + name + " is not a list of integers");
  return *ints;
}

const Array& OpCheck::Tensor(const char* name) const {
  const Attribute* attribute = op.Find(name);
  const Array* array = attribute ? attribute->get<Array>() : nullptr;
  if (!array) Fail(std::string("the attribute ") + name + " is not a constant");
  return *array;
}

const std::vector<int64_t>& OpCheck::IntsOf(const char* name, size_t count) const {
  const std::vector<int64_t>& ints = Ints(name);
  if (ints.size() != count) {
    Fail(std::string(name) + " has " + std::to_string(ints.size()) + " entries, not " + std::to_string(count));
  }
  return ints;
}

const std::vector<int64_t>& OpCheck::Dimensions(const char* name, size_t rank) const {
  const std::vector<int64_t>& dimensions = Ints(name);
  if (dimensions.size() > rank) Fail(std::string(name) + " has more entries than there are dimensions");
  std::vector<bool> seen(rank, false);
  for (int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(rank)) {
      Fail(std::string(name) + " names the dimension " + std::to_string(dimension) + " of " + std::to_string(rank));
    }
    if (seen[static_cast<size_t>(dimension)]) {
      Fail(std::string(name) + " names the dimension " + std::to_string(dimension) + " twice");
    }
    seen[static_cast<size_t>(dimension)] = true;
  }
  return dimensions;
}

const std::vector<int64_t>& OpCheck::SortedDimensions(const char* name, size_t rank) const {
  const std::vector<int64_t>& dimensions = Dimensions(name, rank);
  if (!std::is_sorted(dimensions.begin(), dimensions.end())) Fail(std::string(name) + " is not in ascending order");
  return dimensions;
}

int64_t OpCheck::Dimension(const char* name, size_t rank) const {
  int64_t dimension = Int(name);
  if (dimension < 0 || dimension >= static_cast<int64_t>(rank)) {
    Fail(std::string(name) + " is the dimension " + std::to_string(dimension) + " of " + std::to_string(rank));
  }
  return dimension;
}

const int64_t* OpCheck::Pairs(const char* name, size_t count) const {
  const Array& array = Tensor(name);
  if (array.element_type() != ElementType::kS64 || array.dims() != Dims{static_cast<int64_t>(count), 2}) {
    Fail(std::string(name) + " is a " + array.type().ToString() + ", not a tensor<" + std::to_string(count) +
         "x2xi64>");
  }
  return array.as<int64_t>();
}

const std::vector<Type>& OpCheck::RegionArguments(size_t region) const {
  return op.regions[region].block().argument_types;
}

std::vector<Type> OpCheck::RegionReturns(size_t region) const {
  std::vector<Type> types;
  for (ValueId value : op.regions[region].block().ops.back().operands) {
    types.push_back(value_types_[static_cast<size_t>(value)]);
  }
  return types;
}

void OpCheck::ExpectRegion(size_t region, const std::vector<Type>& arguments, const std::vector<Type>& returns) const {
  auto compare = [&](const char* what, const std::vector<Type>& actual, const std::vector<Type>& expected) {
    std::string place = "region " + std::to_string(region) + " " + what + " ";
    if (actual.size() != expected.size()) {
      Fail(place + std::to_string(actual.size()) + " values, not " + std::to_string(expected.size()));
    }
    for (size_t i = 0; i < actual.size(); ++i) {
      if (actual[i] != expected[i]) {
        Fail(place + "a " + actual[i].ToString() + " as number " + std::to_string(i) + ", not a " +
             expected[i].ToString());
      }
    }
  };
  compare("takes", RegionArguments(region), arguments);
  compare("returns", RegionReturns(region), returns);
}

std::vector<ElementType> OpCheck::ExpectReducer(size_t region, const std::vector<ElementType>& inputs,
                                                const std::vector<ElementType>& initial) const {
  std::vector<Type> returns = RegionReturns(region);
  if (returns.size() != inputs.size()) {
    Fail("the computation returns " + std::to_string(returns.size()) + " values, not " +
         std::to_string(inputs.size()));
  }
  std::vector<ElementType> types;
  std::vector<Type> arguments;
  for (size_t i = 0; i < returns.size(); ++i) {
    ElementType type = returns[i].array.type;
    if (returns[i] != ScalarType(type)) Fail("the computation returns a " + returns[i].ToString() + ", not a scalar");
    if (!IsPromotable(inputs[i], type) || !IsPromotable(initial[i], type)) {
      Fail("the computation returns " + MlirName(type) + ", which " + MlirName(inputs[i]) + " and " +
           MlirName(initial[i]) + " do not convert to");
    }
    types.push_back(type);
    arguments.push_back(returns[i]);
  }
  for (size_t i = 0; i < returns.size(); ++i) arguments.push_back(returns[i]);
  ExpectRegion(region, arguments, returns);
  return types;
}

bool IsInteger(ElementType type) { return IsSignedInteger(type) || IsUnsignedInteger(type); }

bool IsOfClasses(ElementType type, const std::string& classes) {
  for (char letter : classes) {
    if (letter == 'b' ? type == ElementType::kPred
        : letter == 'i' ? IsInteger(type)
        : letter == 's' ? IsSignedInteger(type)
        : letter == 'f' ? IsFloat(type)
                        : IsComplex(type)) {
      return true;
    }
  }
  return false;
}

bool IsPromotable(ElementType from, ElementType to) {
  if (from == to) return true;
  bool same_kind = (IsSignedInteger(from) && IsSignedInteger(to)) ||
                   (IsUnsignedInteger(from) && IsUnsignedInteger(to)) ||
                   (IsFloat(from) && IsFloat(to)) || (IsComplex(from) && IsComplex(to));
  return same_kind && BitWidth(from) <= BitWidth(to);
}

ElementType PartType(ElementType complex) {
  return complex == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
}

Type ScalarType(ElementType type) { return {ArrayType{type, {}}, false, {}}; }

std::vector<Wide> WideDims(const Dims& dims) { return {dims.begin(), dims.end()}; }

bool HasDimension(const std::vector<int64_t>& dimensions, int64_t dimension) {
  return std::find(dimensions.begin(), dimensions.end(), dimension) != dimensions.end();
}

std::vector<Wide> WindowedDims(const OpCheck& check, const std::vector<int64_t>& base, const Window& window) {
  std::vector<Wide> dims;
  for (size_t i = 0; i < base.size(); ++i) {
    check.Require(window.sizes[i] > 0, "a window without extent");
    check.Require(window.strides[i] > 0, "a stride that is not positive");
    check.Require(window.base_dilations[i] > 0 && window.window_dilations[i] > 0, "a dilation that is not positive");
    Wide dilated = base[i] == 0 ? 0 : Wide{base[i] - 1} * window.base_dilations[i] + 1;
    if (window.padding) dilated += Wide{window.padding[2 * i]} + window.padding[2 * i + 1];
    Wide size = Wide{window.sizes[i] - 1} * window.window_dilations[i] + 1;
    dims.push_back(dilated < size || dilated <= 0 ? 0 : (dilated - size) / window.strides[i] + 1);
  }
  return dims;
}

void VerifyAttributes(const OpCheck& check, const OpInfo& info) {
  using List = std::shared_ptr<std::vector<Attribute>>;
  for (const AttributeRule& rule : info.attributes) {
    const Attribute* value = check.op.Find(rule.name);
    if (!value) {
      if (rule.absent == AttributeDefault::kOptional) continue;
      check.Fail("has no attribute " + rule.name);
    }
    bool good = false;
    auto is_enum = [&](const Attribute& attribute) {
      const std::string* text = attribute.get<std::string>();
      const auto* values = EnumValues(rule.enumeration);
      return text && values && !text->empty() && std::find(values->begin(), values->end(), *text) != values->end();
    };
    auto each = [&](auto accepts) {
      const List* list = value->get<List>();
      return list && *list && std::all_of((*list)->begin(), (*list)->end(), accepts);
    };
    switch (rule.kind) {
      case AttributeKind::kInt:
      case AttributeKind::kInt32:
        good = value->get<int64_t>();
        break;
      case AttributeKind::kBool:
      case AttributeKind::kUnit:
        good = value->get<bool>();
        break;
      case AttributeKind::kFloat:
        good = value->get<double>();
        break;
      case AttributeKind::kString:
      case AttributeKind::kSymbol:
        good = value->get<std::string>();
        break;
      case AttributeKind::kText:
        good = value->get<std::string>() || value->get<std::shared_ptr<Dictionary>>();
        break;
      case AttributeKind::kEnum:
      case AttributeKind::kIntEnum:
        good = is_enum(*value);
        break;
      case AttributeKind::kEnums:
        good = each(is_enum);
        break;
      case AttributeKind::kSymbols:
        good = each([](const Attribute& a) { return a.get<std::string>() != nullptr; });
        break;
      case AttributeKind::kInts:
        good = value->get<std::vector<int64_t>>();
        break;
      case AttributeKind::kBools:
        good = value->get<std::vector<bool>>();
        break;
      case AttributeKind::kTensor:
        good = value->get<Array>() && value->get<Array>()->element_type() == ElementType::kS64;
        break;
      case AttributeKind::kValue:
        good = value->get<Array>();
        break;
      case AttributeKind::kType:
        good = value->get<Type>() || value->get<std::string>();
        break;
      case AttributeKind::kAccuracy:
        good = value->get<std::shared_ptr<Dictionary>>() && IsAccuracy(**value->get<std::shared_ptr<Dictionary>>());
        break;
      case AttributeKind::kDictionary:
        good = value->get<std::shared_ptr<Dictionary>>() && *value->get<std::shared_ptr<Dictionary>>();
        break;
      case AttributeKind::kLayouts:
        good = each([](const Attribute& a) { return a.get<std::vector<int64_t>>() != nullptr; });
        break;
      case AttributeKind::kAliases:
        good = each([](const Attribute& a) { return a.get<std::shared_ptr<Dictionary>>() != nullptr; });
        break;
      case AttributeKind::kList:
        good = value->get<List>() && *value->get<List>();
        break;
    }
    if (!good) check.Fail("the attribute " + rule.name + " has another kind");
  }
}

}  // namespace reference
