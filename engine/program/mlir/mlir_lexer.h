// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope {

// Behind the blanks and comments at `at`.
size_t mlir_behind_blanks(std::string_view text, size_t at);

// A cursor over MLIR text or a part of it. Every reader first skips blanks and comments. Does not own the
// text: what it gives are views of it, from whose place errors know line and column.
class MlirLexer {
 public:
  MlirLexer(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {}
  // Over `part`, a view into the text of this lexer.
  MlirLexer within(std::string_view part) const;

  char peek();  // the next character, '\0' at the end
  bool starts_with(std::string_view token) {
    skip_blanks();
    return text_.substr(at_, token.size()) == token;
  }
  bool accept(std::string_view token) {
    if (!starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool accept_word(std::string_view word);  // not the beginning of a longer one
  Result<void> expect(std::string_view token);
  bool at_end() { return peek() == '\0' && at_ >= text_.size(); }

  std::string_view word();    // letters, digits, '_', '.', '$'
  std::string_view suffix();  // what may follow '%', '@', '#', '!' and '^': a word, also with '-'
  std::optional<int64_t> integer();
  Result<int64_t> expect_integer(std::string_view what);
  Result<std::string_view> expect_word(std::string_view what);
  Result<std::string_view> expect_quoted(std::string_view what);  // without the quotes, escapes as they are
  // The text up to a character of `stop` or a closing bracket, outside of all brackets and quotes, without
  // outer blanks. '<' opens a bracket, '->' closes none.
  Result<std::string_view> balanced(std::string_view stop);
  // One bracket with what it holds, at whose opening the cursor stands.
  Result<std::string_view> bracket();

  size_t position();  // of the next token
  void rewind(size_t position) { at_ = position; }
  size_t end_of_token() const { return at_; }
  std::string_view between(size_t start, size_t end) const { return text_.substr(start, end - start); }
  // Of a view into the text; the end for a view of nothing, as of an attribute without a value.
  size_t place_of(std::string_view part) const {
    return part.data() == nullptr ? text_.size() : static_cast<size_t>(part.data() - text_.data());
  }
  // "got 'foo', expected a type", at file:line:column of the next token or of `position`.
  Error expected(std::string_view what);
  Error error_at(size_t position, std::string message) const;

 private:
  void skip_blanks() {
    // Most tokens follow each other, or one blank.
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const char c = at_ < text_.size() ? text_[at_] : '/';
    if (c <= ' ' || c == '/') at_ = mlir_behind_blanks(text_, at_);
  }
  Result<void> skip_bracket();

  std::string_view text_;
  std::string_view file_name_;
  size_t at_ = 0;
};

int mlir_hex_digit(char c);  // -1: it is none
// The text of a string between its quotes, escapes resolved: \22, \0A, \\, \", \n, \t.
std::string mlir_unescaped(std::string_view quoted);

}  // namespace shardscope
