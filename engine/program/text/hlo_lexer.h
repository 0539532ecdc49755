// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/ir/shape.h"

namespace shardscope {

// A cursor over HLO text. Every reader first skips blanks, comments and a '#' that starts a line (modules
// pasted from commented-out prints); each character is looked at a fixed
// number of times, so reading is linear. Does not own the text.
class HloLexer {
 public:
  explicit HloLexer(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {}

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
  Result<void> expect(std::string_view token);
  bool at_end() { return peek() == '\0' && at_ >= text_.size(); }

  std::string_view word();  // letters, digits, '_', '.', '-'; empty when there is none
  std::optional<int64_t> integer();
  Result<int64_t> expect_integer(std::string_view what);
  Result<std::string_view> expect_word(std::string_view what);
  // The text up to a character of `stop`, a closing bracket or a line's end outside of all brackets and
  // quotes, without outer blanks.
  Result<std::string_view> balanced(std::string_view stop = ",");
  // The text up to the bracket that closes the one just accepted, which is passed over. May span lines.
  Result<std::string_view> inside(char close);
  std::string_view rest_of_line() const;
  void skip_line();

  size_t position();  // of the next token
  // The text to the next blank or comma outside of all brackets on this line, which is passed over: a shape
  // that a name or opcode follows.
  std::string_view up_to_blank();
  void rewind(size_t position) { at_ = position; }
  size_t end_of_token() const { return at_; }  // where the last one ended
  // To a line that begins with '}'; 0 when asked again before that line.
  int64_t lines_to_closing_brace();
  std::string_view between(size_t start, size_t end) const { return text_.substr(start, end - start); }
  // "got 'foo', expected a shape", at file:line:column of the next token or of `position`.
  Error expected(std::string_view what);
  Error error_at(size_t position, std::string message) const;

 private:
  void skip_blanks() {
    // Most tokens follow each other, or one blank.
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const char c = at_ < text_.size() ? text_[at_] : '/';
    if (c <= ' ' || c == '/' || c == '#') skip_more_blanks();
  }
  void skip_more_blanks();
  Result<void> skip_brackets(bool whole_lines, std::string_view stop);

  std::string_view text_;
  std::string_view file_name_;
  size_t at_ = 0;
  size_t brace_ = 0;  // of lines_to_closing_brace
};

// "f32[16,4]{1,0}" or "(f32[2], s32[])" at the cursor; tuples nest at most 32 deep.
Result<Shape> read_shape(HloLexer& lexer);

// Whether `text` stops before the bracket at `open` is closed, on the line of `position`.
bool ends_inside(std::string_view text, size_t open, size_t position);

std::string quote(std::string_view text);  // "a \"b\""
// The same as XLA prints what it did not get as text: also \' and, in octal, all that is not ASCII.
std::string c_escaped(std::string_view text);
// The text of a quoted string, escapes resolved; other text as it is.
std::string unquote(std::string_view text);

}  // namespace shardscope
