// Modules and functions of MLIR text.
#include <utility>

#include "ir/sharding.h"
#include "ir/text_parser.h"

namespace reference {

Module ParseText(std::string_view text) {
  Module module = TextParser(text).ParseModule();
  Verify(module);
  return module;
}

Module TextParser::ParseModule() {
  ParseTopLevel();
  return std::move(module_);
}

void TextParser::SkipLocation() {
  if (cursor_.ConsumeWord("loc")) {
    if (!cursor_.At("(")) cursor_.Expected("'('");
    cursor_.Balanced();
  }
}

// #name = attribute and !name = type.
bool TextParser::ParseAlias() {
  if (!cursor_.At("#") && !cursor_.At("!")) return false;
  bool is_type = cursor_.Consume("!");
  if (!is_type) cursor_.Expect("#");
  std::string name = cursor_.Suffix("the name of an alias");
  cursor_.Expect("=");
  size_t before = nodes_;
  if (is_type) {
    Type type = ParseType();
    type_aliases_.insert_or_assign(name, Alias<Type>{std::move(type), nodes_ - before});
  } else if (cursor_.AtWord("loc")) {
    SkipLocation();
  } else {
    Attribute attribute = ParseAttribute();
    attribute_aliases_.insert_or_assign(name, Alias<Attribute>{std::move(attribute), nodes_ - before});
  }
  return true;
}

void TextParser::ParseTopLevel() {
  while (!cursor_.AtEnd()) {
    if (ParseAlias()) continue;
    if (cursor_.At("{-#")) {
      size_t end = cursor_.text().find("#-}", cursor_.position());
      if (end == std::string_view::npos) cursor_.Fail("'{-#' is never closed");
      cursor_.set_position(end + 3);
      continue;
    }
    if (seen_module_) cursor_.Expected("the end of the program");
    if (cursor_.At("\"")) {
      ParseGenericModule();
    } else if (cursor_.AtWord("module") || cursor_.AtWord("builtin.module")) {
      ParsePrettyModule();
    } else if (cursor_.AtWord("func.func") && !seen_module_) {
      // Functions without a module.
      while (cursor_.AtWord("func.func")) ParseFunction();
    } else {
      cursor_.Expected("a module");
    }
    seen_module_ = true;
  }
  if (!seen_module_) cursor_.Expected("a module");
}

// module @name attributes {...} {...}
void TextParser::ParsePrettyModule() {
  cursor_.Word("module");
  if (cursor_.At("@")) module_.name = cursor_.Symbol();
  if (cursor_.ConsumeWord("attributes")) module_.attributes = ParseDictionary();
  cursor_.Expect("{");
  ParseModuleBody();
  SkipLocation();
}

// Up to and including the closing brace.
void TextParser::ParseModuleBody() {
  while (!cursor_.Consume("}")) {
    if (cursor_.AtWord("func.func")) {
      ParseFunction();
    } else if (cursor_.ConsumeWord("sdy.mesh")) {
      std::string name = cursor_.Symbol();
      cursor_.Expect("=");
      AddMesh(name, "#sdy.mesh" + std::string(cursor_.Balanced()));
      ParseOptionalDictionary();
      SkipLocation();
    } else if (cursor_.At("\"")) {
      size_t start = cursor_.position();
      std::string name = cursor_.Quoted();
      if (name == "sdy.mesh") {
        ParseGenericMesh();
        continue;
      }
      if (name != "func.func") {
        cursor_.set_position(start);
        cursor_.Fail("expected a function, found the op " + name);
      }
      ParseGenericFunction();
    } else {
      cursor_.Expected("a function or '}'");
    }
  }
}

void TextParser::AddMesh(const std::string& name, std::string mesh) {
  ParseMesh(mesh);
  Attribute& meshes = module_.attributes[kMeshesAttribute];
  if (meshes.get<std::shared_ptr<Dictionary>>() == nullptr) meshes.value = std::make_shared<Dictionary>();
  Dictionary& table = **std::get_if<std::shared_ptr<Dictionary>>(&meshes.value);
  if (!table.emplace(name, Attribute{std::move(mesh)}).second) cursor_.Fail("the mesh @" + name + " is there twice");
}

// After the name in quotes: () <{mesh = #sdy.mesh<...>, sym_name = "name"}> : () -> ()
void TextParser::ParseGenericMesh() {
  Op op;
  ParseGenericOp(op);
  SkipLocation();
  const std::string* name = op.attributes["sym_name"].get<std::string>();
  const std::string* mesh = op.attributes["mesh"].get<std::string>();
  if (name == nullptr || mesh == nullptr) cursor_.Fail("a mesh without its name or its axes");
  AddMesh(*name, *mesh);
}

// "builtin.module"() <{sym_name = "name"}> ({...}) {...} : () -> ()
void TextParser::ParseGenericModule() {
  size_t start = cursor_.position();
  std::string name = cursor_.Quoted();
  if (name != "builtin.module" && name != "module") {
    cursor_.set_position(start);
    cursor_.Fail("expected a module, found the op " + name);
  }
  cursor_.Expect("(");
  cursor_.Expect(")");
  if (cursor_.Consume("<")) {
    module_.attributes = ParseDictionary();
    cursor_.Expect(">");
  }
  cursor_.Expect("(");
  cursor_.Expect("{");
  if (cursor_.Consume("^")) {
    cursor_.Suffix("the name of a block");
    if (cursor_.Consume("(")) cursor_.Expect(")");
    cursor_.Expect(":");
  }
  ParseModuleBody();
  cursor_.Expect(")");
  module_.attributes.merge(ParseOptionalDictionary());
  cursor_.Expect(":");
  ParseFunctionType();
  SkipLocation();
  auto named = module_.attributes.extract("sym_name");
  if (!named.empty()) {
    if (!named.mapped().get<std::string>()) cursor_.Fail("the name of a module that is not a string");
    module_.name = *named.mapped().get<std::string>();
  }
}

void TextParser::AddFunction(Function function) {
  function.value_count = static_cast<int32_t>(value_types_.size());
  std::string name = function.name;
  if (!module_.functions.emplace(name, std::move(function)).second) {
    cursor_.Fail("the function @" + name + " is there twice");
  }
}

void TextParser::BeginFunction() {
  scopes_.clear();
  scopes_.emplace_back();
  value_types_.clear();
}

Dictionary TextParser::ParseArgumentAttributes() {
  Dictionary attributes = ParseOptionalDictionary();
  SkipLocation();
  return attributes;
}

// func.func public @name(%arg0: T {...}) -> (T {...}) attributes {...} {...}
void TextParser::ParseFunction() {
  BeginFunction();
  cursor_.ExpectWord("func.func");
  Function function;
  if (cursor_.ConsumeWord("private")) {
    function.is_public = false;
  } else if (!cursor_.ConsumeWord("public") && cursor_.ConsumeWord("nested")) {
    function.is_public = false;
  }
  size_t start = (cursor_.SkipSpace(), cursor_.position());
  function.name = cursor_.Symbol();
  std::vector<std::string> names;
  cursor_.Expect("(");
  if (!cursor_.Consume(")")) {
    do {
      if (cursor_.Consume("%")) {
        names.push_back(cursor_.Suffix("the name of a value"));
        cursor_.Expect(":");
      }
      function.argument_types.push_back(ParseType());
      function.argument_attributes.push_back(ParseArgumentAttributes());
    } while (cursor_.Consume(","));
    cursor_.Expect(")");
  }
  if (cursor_.Consume("->")) {
    if (cursor_.Consume("(")) {
      if (!cursor_.Consume(")")) {
        do {
          function.result_types.push_back(ParseType());
          function.result_attributes.push_back(ParseArgumentAttributes());
        } while (cursor_.Consume(","));
        cursor_.Expect(")");
      }
    } else {
      function.result_types.push_back(ParseType());
      function.result_attributes.emplace_back();
    }
  }
  if (cursor_.ConsumeWord("attributes")) ParseDictionary();
  if (!cursor_.Consume("{")) {
    cursor_.set_position(start);
    cursor_.Fail("the function @" + function.name + " has no body");
  }
  if (names.size() != function.argument_types.size()) {
    cursor_.set_position(start);
    cursor_.Fail("arguments of @" + function.name + " have no name");
  }
  ParseFunctionBody(function, std::move(names));
  SkipLocation();
  AddFunction(std::move(function));
}

// After the opening brace; an empty list of names means that the block names its arguments itself.
void TextParser::ParseFunctionBody(Function& function, std::vector<std::string> names) {
  Block& block = function.body;
  if (names.empty() && cursor_.Consume("^")) {
    cursor_.Suffix("the name of a block");
    std::vector<std::pair<std::string, Type>> arguments;
    if (cursor_.Consume("(")) {
      if (!cursor_.At(")")) arguments = ParseBlockArguments();
      cursor_.Expect(")");
    }
    cursor_.Expect(":");
    for (auto& [name, type] : arguments) {
      names.push_back(name);
      block.argument_types.push_back(type);
    }
  } else {
    block.argument_types = function.argument_types;
  }
  if (block.argument_types != function.argument_types || names.size() != function.argument_types.size()) {
    cursor_.Fail("the block of @" + function.name + " has other arguments than the function");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    ValueId value = NewValue(block.argument_types[i]);
    Define(names[i], {value, 1});
    block.arguments.push_back(value);
  }
  ParseBlockBody(block);
}

// After "func.func": () <{function_type = (T) -> U, sym_name = "main"}> ({...}) : () -> ()
void TextParser::ParseGenericFunction() {
  BeginFunction();
  size_t start = cursor_.position();
  cursor_.Expect("(");
  cursor_.Expect(")");
  Dictionary attributes;
  if (cursor_.Consume("<")) {
    attributes = ParseDictionary();
    cursor_.Expect(">");
  } else {
    // Older texts have the attributes after the region, but the function's type is needed in it.
    size_t region = cursor_.position();
    cursor_.Balanced();
    attributes = ParseOptionalDictionary();
    cursor_.set_position(region);
  }
  size_t body = cursor_.position();
  cursor_.set_position(start);
  Function function;
  const std::string* name = attributes["sym_name"].get<std::string>();
  if (!name) cursor_.Fail("a function without a name");
  function.name = *name;
  if (const std::string* visibility = attributes["sym_visibility"].get<std::string>()) {
    function.is_public = visibility->empty() || *visibility == "public";
  }
  const Type* type = attributes["function_type"].get<Type>();
  if (!type || !type->is_tuple || type->elements.size() != 2 || !type->elements[0].is_tuple ||
      !type->elements[1].is_tuple) {
    cursor_.Fail("a function without a type");
  }
  function.argument_types = type->elements[0].elements;
  function.result_types = type->elements[1].elements;
  auto dictionaries = [&](const char* key, size_t count) {
    std::vector<Dictionary> result(count);
    const auto* list = attributes[key].get<std::shared_ptr<std::vector<Attribute>>>();
    if (!list) return result;
    if ((*list)->size() != count) cursor_.Fail(std::string(key) + " has another number of entries than the function");
    for (size_t i = 0; i < count; ++i) {
      const auto* entry = (**list)[i].get<std::shared_ptr<Dictionary>>();
      if (!entry) cursor_.Fail(std::string(key) + " is not a list of dictionaries");
      result[i] = **entry;
    }
    return result;
  };
  function.argument_attributes = dictionaries("arg_attrs", function.argument_types.size());
  function.result_attributes = dictionaries("res_attrs", function.result_types.size());
  cursor_.set_position(body);
  cursor_.Expect("(");
  cursor_.Expect("{");
  if (cursor_.At("}")) cursor_.Fail("the function @" + function.name + " has no body");
  ParseFunctionBody(function, {});
  cursor_.Expect(")");
  ParseOptionalDictionary();
  cursor_.Expect(":");
  ParseFunctionType();
  SkipLocation();
  AddFunction(std::move(function));
}

}  // namespace reference
