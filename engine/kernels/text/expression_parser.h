// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/text/lexer.h"

namespace shardscope::kernels {

// Names by number, each once.
class NameTable {
 public:
  explicit NameTable(std::vector<std::string>& names) : names_(names) {}
  int32_t place_of(const std::string& name);

 private:
  std::vector<std::string>& names_;
  std::map<std::string, int32_t> places_;
};

// Reads the tokens of one line from the left. The first problem sticks; what is read after it means nothing.
class ExpressionParser {
 public:
  ExpressionParser(const std::vector<Token>& tokens, NameTable& names) : tokens_(tokens), names_(names) {}

  const Token& now() const { return tokens_[at_]; }
  bool is(std::string_view word) const;  // a sign or a name that is a word of the language
  bool accept(std::string_view word);
  bool expect(std::string_view word);
  bool at_end() const { return now().kind == Token::Kind::end; }
  Token next();
  int32_t name(std::string_view what);  // "a name for what it makes"; -1: there is none
  std::vector<int32_t> names(std::string_view what);
  Expr expression();
  Expr expressions();  // a, b, c: a tuple where there are several
  void fail(const Token& token, std::string what, std::string fix);
  const std::optional<TextProblem>& problem() const { return problem_; }

 private:
  // Operators from the loosest on: or, and, not, comparisons, + -, * // %, signs.
  Expr operators(int level);
  Expr signed_factor();
  Expr factor();
  Expr atom();
  Expr brackets();
  Expr call(Expr function);
  Expr subscript(Expr what);
  void link(const Token& token);  // one more in a chain: a + b + c, a.b[c](d)

  const std::vector<Token>& tokens_;
  NameTable& names_;
  size_t at_ = 0;
  int depth_ = 0, links_ = 0;
  std::optional<TextProblem> problem_;
};

bool is_word(std::string_view word);  // of the language: no name may be

}  // namespace shardscope::kernels
