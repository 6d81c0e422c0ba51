#include "programs.h"

#include <string_view>

#include "base/element_type.h"
#include "ir/ir.h"

namespace designs {
namespace {

void Add(const reference::Type& type, Contents& contents) {
  if (type.is_tuple) {
    for (const reference::Type& element : type.elements) Add(element, contents);
  } else {
    contents.types.insert(static_cast<int>(type.array.type));
  }
}

void Add(const reference::Block& block, Contents& contents) {
  for (const reference::Type& type : block.argument_types) Add(type, contents);
  for (const reference::Op& op : block.ops) {
    contents.ops.insert(op.name);
    for (const reference::Type& type : op.result_types) Add(type, contents);
    for (const reference::Region& region : op.regions) {
      for (const reference::Block& inner : region.blocks) Add(inner, contents);
    }
  }
}

/** Whether a list of aliases, as XLA writes it into a module's attributes, has one with must-alias. */
bool HasMustAlias(const reference::Attribute& attribute) {
  if (const auto* text = attribute.get<std::string>()) return *text == "must_alias";
  if (const auto* list = attribute.get<std::shared_ptr<std::vector<reference::Attribute>>>()) {
    for (const reference::Attribute& entry : **list) {
      if (HasMustAlias(entry)) return true;
    }
  }
  if (const auto* dictionary = attribute.get<std::shared_ptr<reference::Dictionary>>()) {
    for (const auto& [name, value] : **dictionary) {
      if (HasMustAlias(value)) return true;
    }
  }
  return false;
}

/** The contents of a program; nothing if it cannot be read. */
std::optional<Contents> ContentsOf(std::string_view code) {
  try {
    const reference::Module module = reference::ReadProgram(code);
    Contents contents;
    const auto aliases = module.attributes.find("mhlo.input_output_alias");
    contents.must_donate = aliases != module.attributes.end() && HasMustAlias(aliases->second);
    for (const auto& [name, function] : module.functions) {
      for (const reference::Type& type : function.argument_types) Add(type, contents);
      Add(function.body, contents);
    }
    return contents;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/** Calls `judge(code)`, which returns an error or null, before both ways to compile. */
void BeforeCompile(std::function<PJRT_Error*(std::string_view)> judge) {
  const auto wrap = [judge](auto& args, auto& original) -> PJRT_Error* {
    using Args = std::remove_reference_t<decltype(args)>;
    const auto code = HAS(args, Args, program) ? Mlir(args.program) : std::nullopt;
    PJRT_Error* error = code ? judge(*code) : nullptr;
    return error ? error : original(&args);
  };
  Replace<SLOT(PJRT_Client_Compile)>(wrap);
  Replace<SLOT(PJRT_Compile)>(wrap);
}

}  // namespace

std::optional<std::string_view> Mlir(const PJRT_Program* program) {
  if (program == nullptr || !HAS(*program, PJRT_Program, format_size) || program->code == nullptr ||
      program->format == nullptr || std::string_view(program->format, program->format_size) != "mlir") {
    return std::nullopt;
  }
  return std::string_view(program->code, program->code_size);
}

void RefusePrograms(std::function<std::string(const Contents&)> why) {
  static std::vector<std::function<std::string(const Contents&)>> all;
  all.push_back(std::move(why));
  if (all.size() > 1) return;
  // Once for all reasons, because a large program takes long to read.
  BeforeCompile([](std::string_view code) -> PJRT_Error* {
    const auto contents = ContentsOf(code);
    if (!contents) return nullptr;
    for (const auto& one : all) {
      const std::string reason = one(*contents);
      if (!reason.empty()) return MakeError(PJRT_Error_Code_UNIMPLEMENTED, reason);
    }
    return nullptr;
  });
}

std::string NoSuchType(int type) {
  return "element type " + reference::Name(static_cast<reference::ElementType>(type)) + " is not supported";
}

void RefuseOps() {
  const auto list = Setting("PJRT_DESIGN_OPS_REFUSED");
  if (!list) return;
  RefusePrograms([refused = Split(*list)](const Contents& contents) -> std::string {
    for (const std::string& op : refused) {
      if (contents.ops.count(op) != 0) return op + " is not supported";
    }
    return "";
  });
}

void RefuseText() {
  if (!Has("PJRT_DESIGN_TEXT", "refused")) return;
  BeforeCompile([](std::string_view code) -> PJRT_Error* {
    if (reference::IsBytecode(code)) return nullptr;
    return MakeError(PJRT_Error_Code_INTERNAL, "failed to deserialize portable artifact");
  });
}

void SlowCompiler() {
  const int pause = Milliseconds("PJRT_DESIGN_COMPILE_MS");
  if (pause == 0) return;
  After<SLOT(PJRT_Client_Compile)>([pause](auto&) { SleepMs(pause); });
  After<SLOT(PJRT_Compile)>([pause](auto&) { SleepMs(pause); });
}

}  // namespace designs
