#include "runtime/layout_text.h"

#include <string>

#include "base/error.h"

namespace reference {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Layout Parse() {
    Layout layout;
    Expect('{');
    if (!Take('}')) {
      if (Peek() != ':') layout.minor_to_major = Numbers();
      if (Take(':')) {
        if (!Take('T')) throw Unimplemented("the layout \"" + std::string(text_) + "\" says more than order and tiles");
        while (Take('(')) {
          layout.tiles.push_back(Numbers());
          Expect(')');
        }
        if (Peek() != '}') {
          throw Unimplemented("the layout \"" + std::string(text_) + "\" says more than order and tiles");
        }
      }
      Expect('}');
    }
    if (at_ != text_.size()) Fail();
    return layout;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c) return false;
    at_++;
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Fail();
  }
  std::vector<int64_t> Numbers() {
    std::vector<int64_t> numbers;
    do {
      int64_t value = 0;
      int digits = 0;
      for (; Peek() >= '0' && Peek() <= '9' && digits < 18; digits++) value = 10 * value + (text_[at_++] - '0');
      if (digits == 0) Fail();
      numbers.push_back(value);
    } while (Take(','));
    return numbers;
  }
  [[noreturn]] void Fail() const {
    throw InvalidArgument("\"" + std::string(text_) + "\" is no layout: an error at character " + std::to_string(at_));
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Layout ParseLayout(std::string_view text, const ArrayType& type) {
  Layout layout = Parser(text).Parse();
  CheckLayout(layout, type);
  return layout;
}

}  // namespace reference
