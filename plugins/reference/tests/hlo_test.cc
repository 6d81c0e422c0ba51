// The reader of HLO modules: what it reads becomes the StableHLO that is expected, anything else is refused with the name of
// the instruction, and mutated bytes are refused or read without a crash.
//
//   hlo_test [MUTATIONS] [SEED]
#include <cstdlib>
#include <random>

#include "base/protobuf.h"
#include "check.h"
#include "ir/hlo.h"
#include "ir/ir.h"

namespace {

using namespace reference;

constexpr int kF32 = 11;

std::string Shape(const std::vector<int64_t>& dims, int64_t type = kF32) {
  ProtoWriter shape;
  shape.Varint(2, type);
  if (!dims.empty()) shape.Packed(3, dims);
  return shape.bytes();
}

std::string Tuple(const std::vector<std::string>& shapes) {
  ProtoWriter tuple;
  tuple.Varint(2, 13);
  for (const std::string& shape : shapes) tuple.Bytes(4, shape);
  return tuple.bytes();
}

std::string Instruction(int64_t id, const char* opcode, const std::string& shape, const std::vector<int64_t>& operands = {},
                        const std::string& more = "") {
  ProtoWriter instruction;
  instruction.Bytes(1, opcode + ("." + std::to_string(id)));
  instruction.Bytes(2, opcode);
  instruction.Bytes(3, shape);
  instruction.Varint(35, id);
  if (!operands.empty()) instruction.Packed(36, operands);
  return instruction.bytes() + more;
}

std::string With(uint32_t field, const std::vector<int64_t>& values) {
  ProtoWriter more;
  more.Packed(field, values);
  return more.bytes();
}

std::string With(uint32_t field, const std::string& bytes) {
  ProtoWriter more;
  more.Bytes(field, bytes);
  return more.bytes();
}

std::string Parameter(int64_t id, int64_t number, const std::string& shape) {
  ProtoWriter more;
  more.Varint(9, number);
  return Instruction(id, "parameter", shape, {}, more.bytes());
}

std::string Computation(int64_t id, const std::vector<std::string>& instructions, int64_t root) {
  ProtoWriter computation;
  for (const std::string& instruction : instructions) computation.Bytes(2, instruction);
  computation.Varint(5, id);
  computation.Varint(6, root);
  return computation.bytes();
}

std::string Program(const std::vector<std::string>& computations, const std::string& more = "") {
  ProtoWriter module;
  module.Bytes(1, "x*x \"quoted\".5");
  for (const std::string& computation : computations) module.Bytes(3, computation);
  module.Varint(6, 1);
  return module.bytes() + more;
}

std::string One(const std::string& instruction) {
  return Program({Computation(1, {Parameter(10, 0, Shape({4})), instruction}, 11)});
}

// Sums of x * 2, and x: a constant, a call, a reduction, a dot, a comparison and tuples.
std::string Everything() {
  const std::string v = Shape({4}), s = Shape({});
  ProtoWriter literal;
  literal.Bytes(1, s);
  literal.Bytes(8, std::string("\0\0\0\x40", 4));
  ProtoWriter dot;
  dot.Packed(1, {0});
  dot.Packed(2, {0});
  ProtoWriter alias;
  alias.Packed(1, {1});
  alias.Varint(2, 0);
  const std::string sum =
      Computation(2, {Parameter(20, 0, s), Parameter(21, 1, s), Instruction(22, "add", s, {20, 21})}, 22);
  const std::string doubled =
      Computation(3, {Parameter(30, 0, v), Instruction(31, "constant", s, {}, With(8, literal.bytes())),
                      Instruction(32, "broadcast", v, {31}), Instruction(33, "multiply", v, {30, 32}),
                      Instruction(34, "tuple", Tuple({v, s}), {33, 31})}, 34);
  const std::string main = Computation(
      1, {Parameter(10, 0, v), Instruction(11, "call", Tuple({v, s}), {10}, With(38, std::vector<int64_t>{3})),
          Instruction(12, "get-tuple-element", v, {11}), Instruction(13, "constant", s, {}, With(8, literal.bytes())),
          Instruction(14, "reduce", s, {12, 13}, With(14, std::vector<int64_t>{0}) + With(38, std::vector<int64_t>{2})),
          Instruction(15, "dot", s, {12, 10}, With(30, dot.bytes())),
          Instruction(16, "compare", Shape({}, 1), {14, 15}, With(63, std::string("LT"))),
          Instruction(17, "select", s, {16, 14, 15}), Instruction(18, "tuple", Tuple({s, v}), {17, 10})}, 18);
  return Program({sum, doubled, main}, With(8, With(1, alias.bytes())));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string program = Everything();
  const Module module = ParseText(TextOfHlo(program));
  const Function& main = module.main();
  CHECK(module.name == "x*x \"quoted\".5");
  CHECK(main.argument_types.size() == 1 && main.result_types.size() == 2);
  CHECK(main.argument_attributes[0].count("tf.aliasing_output") == 1);
  CHECK(main.body.ops.size() == 9);
  ProtoWriter with_config;
  with_config.Bytes(1, program);
  CHECK(TextOfHlo(ModuleWithoutConfig(with_config.bytes())) == TextOfHlo(program));

  CHECK_THROWS(Code::kUnimplemented, TextOfHlo(One(Instruction(11, "fusion", Shape({4}), {10}))));
  CHECK_THROWS(Code::kUnimplemented, TextOfHlo(One(Instruction(11, "negate", Shape({4}), {10}, With(40, std::string("\x08\x03"))))));
  CHECK_THROWS(Code::kInvalidArgument, TextOfHlo(One(Instruction(11, "negate", Shape({4}), {99}))));
  CHECK_THROWS(Code::kInvalidArgument, TextOfHlo(One(Instruction(11, "call", Shape({4}), {10}, With(38, std::vector<int64_t>{1})))));
  CHECK_THROWS(Code::kInvalidArgument, TextOfHlo(One(Instruction(11, "constant", Shape({4})))));
  CHECK_THROWS(Code::kInvalidArgument, TextOfHlo(""));
  // What the operation itself does not allow is found as in any other program.
  CHECK_THROWS(Code::kInvalidArgument, ParseText(TextOfHlo(One(Instruction(11, "negate", Shape({5}), {10})))));

  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  for (int i = argc > 1 ? std::atoi(argv[1]) : 2000; i > 0; --i) {
    std::string bytes = program;
    for (size_t times = 1 + random() % 4; times > 0; --times) bytes[random() % bytes.size()] = static_cast<char>(random());
    try {
      ParseText(TextOfHlo(bytes));
    } catch (const Error& error) {
      CHECK((error.code == Code::kInvalidArgument || error.code == Code::kUnimplemented) && !error.message.empty());
    }
  }
  return ReportChecks();
}
