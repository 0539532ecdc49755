// SPDX-License-Identifier: Apache-2.0
// What the lexers of all languages share: a cursor over a text, numbers, words, and errors with a place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline program {

// A place in a text that it does not own.
class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {}

  void rewind(size_t position) { at_ = position; }
  size_t end_of_token() const { return at_; }  // where the last one ended
  std::string_view between(size_t start, size_t end) const { return text_.substr(start, end - start); }
  // At file:line:column of `position`.
  Error error_at(size_t position, std::string message) const;

 protected:
  std::optional<int64_t> number_here();
  // "got 'foo', expected a type"; the token here goes to `end`, or is one letter.
  Error expected_here(size_t end, std::string_view what) const;

  std::string_view text_;
  std::string_view file_name_;
  size_t at_ = 0;
};

// `Language` says what blanks, words and characters of a word are: skip_blanks(), word(), in_word(char).
// Every reader first skips blanks.
template <class Language>
class TextLexer : public TextCursor {
 public:
  using TextCursor::TextCursor;

  char peek() {  // the next character, '\0' at the end
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  // Inline, so that of the short tokens, which most are, letters are compared and no function is called.
  [[gnu::always_inline]] bool starts_with(std::string_view token) {
    skip();
    if (at_ >= text_.size() || text_[at_] != token.front()) return false;
    return token.size() == 1 || text_.substr(at_, token.size()) == token;
  }
  [[gnu::always_inline]] bool accept(std::string_view token) {
    if (!starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  Result<void> expect(std::string_view token) {
    if (accept(token)) return {};
    return expected("'" + std::string(token) + "'");
  }
  bool at_end() { return peek() == '\0' && at_ >= text_.size(); }
  size_t position() {  // of the next token
    skip();
    return at_;
  }

  std::optional<int64_t> integer() {
    skip();
    return number_here();
  }
  Result<int64_t> expect_integer(std::string_view what) {
    if (const auto value = integer()) return *value;
    return expected(what);
  }
  Result<std::string_view> expect_word(std::string_view what) {
    const std::string_view found = static_cast<Language*>(this)->word();
    if (found.empty()) return expected(what);
    return found;
  }

  Error expected(std::string_view what) {
    constexpr size_t kLongest = 40;
    skip();
    size_t end = at_;
    while (end < text_.size() && end - at_ < kLongest && Language::in_word(text_[end])) ++end;
    return expected_here(end, what);
  }

 private:
  void skip() { static_cast<Language*>(this)->skip_blanks(); }
};

// The place behind the string that opens at `at`; npos: it does not end.
size_t behind_string(std::string_view text, size_t at);

}  // namespace shardscope::inline program
