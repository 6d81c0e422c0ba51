// Parses the syntaxes of shardings; for the files behind ir/sharding.h.
#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/sharding.h"

namespace reference {

// No program has more.
constexpr int64_t kMaxDevices = 1 << 16;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] void Fail(const std::string& what) const {
    throw InvalidArgument("sharding \"" + std::string(text_.substr(0, 200)) + "\", position " + std::to_string(at_) +
                          ": " + what);
  }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool At(std::string_view sign) {
    SkipSpace();
    return text_.substr(at_, sign.size()) == sign;
  }
  bool Consume(std::string_view sign) {
    if (!At(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void Expect(std::string_view sign) {
    if (!Consume(sign)) Fail("\"" + std::string(sign) + "\" was expected");
  }
  bool AtDigit() {
    SkipSpace();
    return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
  }
  int64_t Number() {
    if (!AtDigit()) Fail("a number was expected");
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (value > (int64_t{1} << 50)) Fail("a number that is too large");
      value = value * 10 + (text_[at_] - '0');
    }
    return value;
  }
  std::string Word() {
    SkipSpace();
    size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '$' || text_[at_] == '-')) {
      ++at_;
    }
    if (at_ == begin) Fail("a name was expected");
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string Quoted() {
    Expect("\"");
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') out += text_[at_++];
    Expect("\"");
    return out;
  }
  // "1,2,3" between two characters.
  std::vector<int64_t> Numbers(std::string_view open, std::string_view close) {
    std::vector<int64_t> out;
    Expect(open);
    if (Consume(close)) return out;
    do {
      out.push_back(Number());
    } while (Consume(","));
    Expect(close);
    return out;
  }
  // From a bracket to the matching one, whatever is between them.
  std::string_view Braces() { return Between('{', '}'); }
  std::string_view Angles() { return Between('<', '>'); }
  void ExpectEnd() {
    SkipSpace();
    if (at_ < text_.size()) Fail("nothing more was expected");
  }

 private:
  std::string_view Between(char open, char close) {
    Expect(std::string_view(&open, 1));
    size_t begin = at_ - 1;
    bool quoted = false;
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) Fail(std::string("\"") + close + "\" was expected");
      if (text_[at_] == '"') quoted = !quoted;
      if (quoted) continue;
      if (text_[at_] == open) ++depth;
      if (text_[at_] == close) --depth;
    }
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  size_t at_ = 0;
};

// The number of devices in a grid; fails if it is invalid.
int64_t DeviceCount(const Scanner& in, const std::vector<int64_t>& dims);

// The position of the index-th element of a row-major grid.
Dims Unravel(int64_t index, const std::vector<int64_t>& dims);

// A part of an axis: `size` pieces within each of `before` larger ones. All of it: (1, the axis' size).
struct AxisPart {
  size_t axis;
  int64_t before;
  int64_t size;
};

// The piece that contains a position of the mesh.
int64_t Digit(const Mesh& mesh, const AxisPart& part, const Dims& place);

// "x" or "x":(1)2, in quotes.
AxisPart ReadAxis(Scanner& in, const Mesh& mesh);

}  // namespace reference
