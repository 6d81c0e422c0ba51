// Tokens of MLIR text.
#include "ir/text_cursor.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace reference {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsWordStart(char c) { return IsLetter(c) || c == '_'; }
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c) || c == '$' || c == '.'; }
int HexValue(char c) { return IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }

}  // namespace

TextCursor::TextCursor(std::string_view text) : text_(text) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

void TextCursor::SkipSpace() {
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && position_ + 1 < text_.size() && text_[position_ + 1] == '/') {
      size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

bool TextCursor::AtEnd() {
  SkipSpace();
  return position_ >= text_.size();
}

char TextCursor::Peek() { return AtEnd() ? '\0' : text_[position_]; }

bool TextCursor::At(std::string_view sign) {
  SkipSpace();
  return text_.substr(position_, sign.size()) == sign;
}

bool TextCursor::Consume(std::string_view sign) {
  if (!At(sign)) return false;
  position_ += sign.size();
  return true;
}

void TextCursor::Expect(std::string_view sign) {
  if (!Consume(sign)) Expected("'" + std::string(sign) + "'");
}

bool TextCursor::AtWord(std::string_view word) {
  if (!At(word)) return false;
  size_t end = position_ + word.size();
  return end >= text_.size() || !IsWordPart(text_[end]);
}

bool TextCursor::ConsumeWord(std::string_view word) {
  if (!AtWord(word)) return false;
  position_ += word.size();
  return true;
}

void TextCursor::ExpectWord(std::string_view word) {
  if (!ConsumeWord(word)) Expected("'" + std::string(word) + "'");
}

std::string TextCursor::Word(const char* what) {
  if (!IsWordStart(Peek())) Expected(what);
  size_t start = position_;
  while (position_ < text_.size() && IsWordPart(text_[position_])) ++position_;
  return std::string(text_.substr(start, position_ - start));
}

std::string TextCursor::Suffix(const char* what) {
  size_t start = position_;
  auto more = [&](auto accepts) {
    while (position_ < text_.size() && accepts(text_[position_])) ++position_;
  };
  if (position_ < text_.size() && IsDigit(text_[position_])) {
    more(IsDigit);
  } else {
    more([](char c) { return IsWordPart(c) || c == '-'; });
  }
  if (position_ == start) Expected(what);
  return std::string(text_.substr(start, position_ - start));
}

std::string TextCursor::Symbol() {
  Expect("@");
  if (position_ < text_.size() && text_[position_] == '"') return Quoted();
  return Suffix("a symbol's name");
}

std::string TextCursor::Quoted() {
  Expect("\"");
  std::string value;
  while (position_ < text_.size() && text_[position_] != '"') {
    char c = text_[position_++];
    if (c == '\n') Fail("a string that does not end on its line");
    if (c != '\\') {
      value += c;
      continue;
    }
    char next = position_ < text_.size() ? text_[position_] : '\0';
    if (next == '"' || next == '\\') {
      value += next;
      ++position_;
    } else if (next == 'n' || next == 't') {
      value += next == 'n' ? '\n' : '\t';
      ++position_;
    } else if (IsHex(next) && position_ + 1 < text_.size() && IsHex(text_[position_ + 1])) {
      value += static_cast<char>(HexValue(next) * 16 + HexValue(text_[position_ + 1]));
      position_ += 2;
    } else {
      Fail("an unknown escape in a string");
    }
  }
  if (position_ >= text_.size()) Fail("a string without an end");
  ++position_;
  return value;
}

bool TextCursor::ConsumeAdjacent(char sign) {
  if (position_ >= text_.size() || text_[position_] != sign) return false;
  ++position_;
  return true;
}

std::string_view TextCursor::Number() {
  SkipSpace();
  size_t start = position_;
  size_t at = start;
  auto digit = [&](size_t i) { return i < text_.size() && IsDigit(text_[i]); };
  if (at < text_.size() && text_[at] == '-') ++at;
  if (!digit(at)) return {};
  if (text_[at] == '0' && at + 2 < text_.size() && text_[at + 1] == 'x' && IsHex(text_[at + 2])) {
    at += 2;
    while (at < text_.size() && IsHex(text_[at])) ++at;
  } else {
    while (digit(at)) ++at;
    if (at < text_.size() && text_[at] == '.') {
      ++at;
      while (digit(at)) ++at;
      if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
        size_t sign = at + 1;
        if (sign < text_.size() && (text_[sign] == '+' || text_[sign] == '-')) ++sign;
        if (digit(sign)) {
          at = sign;
          while (digit(at)) ++at;
        }
      }
    }
  }
  position_ = at;
  return text_.substr(start, at - start);
}

int64_t TextCursor::Integer() {
  SkipSpace();
  size_t start = position_;
  std::string_view number = Number();
  bool negative = !number.empty() && number[0] == '-';
  std::string_view digits = number.substr(negative ? 1 : 0);
  uint64_t value = 0;
  bool hex = digits.size() > 2 && digits[1] == 'x';
  for (char c : hex ? digits.substr(2) : digits) {
    uint64_t base = hex ? 16 : 10;
    uint64_t next = static_cast<uint64_t>(IsHex(c) ? HexValue(c) : 99);
    if (c == '.' || next >= base) {
      position_ = start;
      Expected("an integer");
    }
    if (value > (UINT64_MAX - next) / base) {
      position_ = start;
      Fail("an integer that does not fit 64 bits");
    }
    value = value * base + next;
  }
  if (digits.empty()) Expected("an integer");
  if (negative && value > uint64_t{1} << 63) {
    position_ = start;
    Fail("an integer that does not fit 64 bits");
  }
  // Values from 2^63 on are those of ui64, kept in two's complement.
  return static_cast<int64_t>(negative ? 0 - value : value);
}

std::string_view TextCursor::Balanced() {
  SkipSpace();
  size_t start = position_;
  std::string open;
  do {
    if (AtEnd()) {
      position_ = start;
      Fail("'" + std::string(text_.substr(start, 1)) + "' is never closed");
    }
    char c = text_[position_];
    if (c == '"') {
      Quoted();
      continue;
    }
    ++position_;
    if (c == '(' || c == '[' || c == '{' || c == '<') open += c;
    if (c == ')' || c == ']' || c == '}' || (c == '>' && text_[position_ - 2] != '-')) {
      char opening = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
      if (open.empty() || open.back() != opening) {
        --position_;
        Fail("'" + std::string(1, c) + "' closes nothing");
      }
      open.pop_back();
    }
  } while (!open.empty());
  return text_.substr(start, position_ - start);
}

std::string TextCursor::Place(size_t position) const {
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), position);
  size_t line = static_cast<size_t>(after - line_starts_.begin());
  return "line " + std::to_string(line) + ":" + std::to_string(position - line_starts_[line - 1] + 1);
}

void TextCursor::Expected(const std::string& what) {
  SkipSpace();
  std::string found = "the end of the text";
  if (position_ < text_.size()) {
    size_t end = position_;
    while (end < text_.size() && end - position_ < 24 && IsWordPart(text_[end])) ++end;
    if (end == position_) ++end;
    found.clear();
    for (char c : text_.substr(position_, end - position_)) {
      bool plain = c >= ' ' && c < 0x7f;
      static const char kHex[] = "0123456789abcdef";
      unsigned char byte = static_cast<unsigned char>(c);
      found += plain ? std::string(1, c) : std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    }
    found = "'" + found + "'";
  }
  Fail("expected " + what + ", found " + found);
}

void TextCursor::Fail(const std::string& message) {
  throw InvalidArgument(Place(std::min(position_, text_.size())) + ": " + message);
}

}  // namespace reference
