// A position in MLIR text, and the tokens that can be read from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reference {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text);

  // Every function below skips spaces and comments first.
  bool AtEnd();
  char Peek();  // NUL at the end
  bool At(std::string_view sign);
  bool Consume(std::string_view sign);
  void Expect(std::string_view sign);
  bool AtWord(std::string_view word);
  bool ConsumeWord(std::string_view word);
  void ExpectWord(std::string_view word);
  // Letters, digits, '_', '$' and '.', not beginning with a digit.
  std::string Word(const char* what);
  // What follows a '%', '^', '#' or '!': a number, or a word that may contain '-'.
  std::string Suffix(const char* what);
  // After the '@': a word or a quoted string.
  std::string Symbol();
  std::string Quoted();
  int64_t Integer();
  // The next character only if nothing separates it from the last token.
  bool ConsumeAdjacent(char sign);
  // Reads a number or a sign that begins here, as written: -12, 0x7F, 1.5e-3. Empty if there is none.
  std::string_view Number();
  // From an opening bracket to the matching one, inclusive, whatever is between them.
  std::string_view Balanced();

  size_t position() const { return position_; }
  void set_position(size_t position) { position_ = position; }
  std::string_view text() const { return text_; }
  void SkipSpace();

  // "line 3:10" of a position.
  std::string Place(size_t position) const;
  std::string Place() { return SkipSpace(), Place(position_); }
  // Throws InvalidArgument with the position and what was found there.
  [[noreturn]] void Expected(const std::string& what);
  // Throws InvalidArgument with the position.
  [[noreturn]] void Fail(const std::string& message);

 private:
  std::string_view text_;
  size_t position_ = 0;
  std::vector<size_t> line_starts_;
};

}  // namespace reference
