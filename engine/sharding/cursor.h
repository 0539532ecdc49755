// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline sharding {

// Reads a one-line notation from left to right and knows the column of every mistake. Invariant: at_ <= text
// size.
class Cursor {
 public:
  // `subject` is what the text is ("spec", "sharding"), for error texts.
  Cursor(std::string_view text, std::string_view subject) : text_(text), subject_(subject) {}

  void skip_blanks();                   // and comments, /*index=5*/
  bool at_end();                        // but for blanks
  bool accept(std::string_view token);  // skips blanks, then takes `token` when it is next
  Result<void> expect(std::string_view token);
  Result<int64_t> integer(std::string_view what);     // not negative
  Result<std::string> word(std::string_view what);    // letters, digits, '_', '.'; may be what a token names
  Result<std::string> quoted(std::string_view what);  // either quote
  Result<std::string> name(std::string_view what);    // quoted or a word
  Result<void> skip_braces();                         // a balanced {...}, quotes heard
  bool next_is(std::string_view token);
  size_t column() const { return at_ + 1; }
  // "expected <what>, got 'x'; spec column 7"
  Error error(std::string_view expected);
  Error refuse(std::string what, size_t column) const;

 private:
  std::string_view text_;
  std::string_view subject_;
  size_t at_ = 0;
};

}  // namespace shardscope::inline sharding
