// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

struct Token {
  enum class Kind : uint8_t { name, number, text, sign, end };
  Kind kind = Kind::end;
  TextPlace place;
  std::string word;  // a text without its quotes
  int64_t number = 0;
};

// A statement's tokens: one line, or more while a bracket is open.
struct TokenLine {
  int32_t indent = 0;
  std::vector<std::string> comments;  // lines above it: "" for an empty one
  std::string remark;                 // "# …" behind it
  std::vector<Token> tokens;          // the last one is Kind::end
};

struct TokenLines {
  std::vector<TokenLine> lines;
  std::vector<std::string> ending;
  std::vector<TextProblem> problems;
};

TokenLines token_lines(std::string_view text);

}  // namespace shardscope::kernels
