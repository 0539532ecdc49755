// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/ir/shape.h"
#include "engine/program/text/text_lexer.h"

namespace shardscope::inline program {

// A cursor over HLO text. Every reader first skips blanks, comments and a '#' that starts a line (modules
// pasted from commented-out prints); each character is looked at a fixed
// number of times, so reading is linear. Does not own the text.
class HloLexer : public TextLexer<HloLexer> {
 public:
  using TextLexer::TextLexer;

  std::string_view word();  // letters, digits, '_', '.', '-'; empty when there is none
  // The text up to a character of `stop`, a closing bracket or a line's end outside of all brackets and
  // quotes, without outer blanks.
  Result<std::string_view> balanced(std::string_view stop = ",");
  // The text up to the bracket that closes the one just accepted, which is passed over. May span lines.
  Result<std::string_view> inside(char close);
  std::string_view rest_of_line() const;
  void skip_line();

  // The text to the next blank or comma outside of all brackets on this line, which is passed over: a shape
  // that a name or opcode follows.
  std::string_view up_to_blank();
  // Lines to one that begins with '}', no more than the text is worth; 0 when asked again before that one.
  int64_t lines_to_closing_brace();

  static bool in_word(char c);
  void skip_blanks() {
    // Most tokens follow each other, or one blank.
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const char c = at_ < text_.size() ? text_[at_] : '/';
    if (c <= ' ' || c == '/' || c == '#') skip_more_blanks();
  }

 private:
  void skip_more_blanks();
  void skip_comment_line();  // to the line's end, of whatever kind
  Result<void> skip_brackets(bool whole_lines, std::string_view stop);

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

}  // namespace shardscope::inline program
