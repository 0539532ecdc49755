// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/program/text/text_lexer.h"

namespace shardscope::inline program {

// Behind the blanks and comments at `at`.
size_t mlir_behind_blanks(std::string_view text, size_t at);

// A cursor over MLIR text or a part of it. Every reader first skips blanks and comments. Does not own the
// text: what it gives are views of it, from whose place errors know line and column.
class MlirLexer : public TextLexer<MlirLexer> {
 public:
  using TextLexer::TextLexer;
  // Over `part`, a view into the text of this lexer.
  MlirLexer within(std::string_view part) const;

  bool accept_word(std::string_view word);  // not the beginning of a longer one

  std::string_view word();    // letters, digits, '_', '.', '$'
  std::string_view suffix();  // what may follow '%', '@', '#', '!' and '^': a word, also with '-'
  Result<std::string_view> expect_quoted(std::string_view what);  // without the quotes, escapes as they are
  // The text up to a character of `stop` or a closing bracket, outside of all brackets and quotes, without
  // outer blanks. '<' opens a bracket, '->' closes none.
  Result<std::string_view> balanced(std::string_view stop);
  // One bracket with what it holds, at whose opening the cursor stands.
  Result<std::string_view> bracket();

  // The same of braces, whatever other brackets stand between them: of what is read again.
  Result<void> skip_braces();
  // Passes over "<…>" that stands here at once and holds no other bracket.
  bool accept_plain_angle();

  // Of a view into the text; the end for a view of nothing, as of an attribute without a value.
  size_t place_of(std::string_view part) const {
    return part.data() == nullptr ? text_.size() : static_cast<size_t>(part.data() - text_.data());
  }

  static bool in_word(char c);
  void skip_blanks() {
    // Most tokens follow each other, or one blank.
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const char c = at_ < text_.size() ? text_[at_] : '/';
    if (c <= ' ' || c == '/') at_ = mlir_behind_blanks(text_, at_);
  }

 private:
  Result<void> skip_bracket();
};

int mlir_hex_digit(char c);  // -1: it is none
// The text of a string between its quotes, escapes resolved: \22, \0A, \\, \", \n, \t.
std::string mlir_unescaped(std::string_view quoted);

}  // namespace shardscope::inline program
