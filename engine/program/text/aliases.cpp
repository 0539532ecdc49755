// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/aliases.h"

#include "engine/program/text/attribute_values.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

// "(0, {1}, must-alias)": a parameter and a place in its tuple.
Result<void> read_parameter(HloLexer& lexer, InputOutputAlias& out) {
  TRY_VOID(lexer.expect("("));
  TRY(out.parameter, lexer.expect_integer("a parameter number"));
  if (lexer.accept(",")) {
    TRY(out.place, read_int_list(lexer));
  }
  if (lexer.accept(",")) TRY_VOID(lexer.expect_word("may-alias or must-alias"));
  return lexer.expect(")");
}

}  // namespace

Result<std::vector<InputOutputAlias>> read_aliases(std::string_view key, std::string_view value) {
  const bool output = key == kAliases;
  std::vector<InputOutputAlias> out;
  HloLexer lexer(value, key);
  TRY_VOID(lexer.expect("{"));
  while (!lexer.accept("}")) {
    InputOutputAlias& it = out.emplace_back();
    if (output) {
      TRY(it.result, read_int_list(lexer));
      TRY_VOID(lexer.expect(":"));
    }
    if (output && lexer.peek() != '(') {
      TRY(it.parameter, lexer.expect_integer("a parameter number"));
    } else {
      TRY_VOID(read_parameter(lexer, it));
    }
    if (!lexer.accept(",") && !lexer.starts_with("}")) return lexer.expected("',' or '}'");
  }
  return out;
}

std::vector<InputOutputAlias> aliases_of(const Program& module) {
  for (const VerbatimAttribute& a : module.verbatim)
    if (a.key == kAliases)
      if (auto out = read_aliases(a.key, a.value); out.ok()) return *std::move(out);
  return {};
}

}  // namespace shardscope::inline program
