// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/program/ir/definition.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

Result<IndexedArray> read_indexed(HloLexer& lexer) {
  IndexedArray array;
  TRY(const std::string_view symbol, lexer.expect_word("the symbol of an array"));
  array.symbol = symbol;
  TRY_VOID(lexer.expect("["));
  do {
    const size_t place = lexer.position();
    TRY(const std::string_view index, lexer.expect_word("an index"));
    if (std::ranges::count(array.indices, index) > 0)
      return lexer.error_at(place, "index " + std::string(index) + " stands twice in " + array.symbol);
    array.indices.emplace_back(index);
  } while (lexer.accept(","));
  TRY_VOID(lexer.expect("]"));
  return array;
}

// "e[m] = 0:12 3:20".
Result<void> read_groups(HloLexer& lexer, Definition& definition) {
  TRY(const IndexedArray group, read_indexed(lexer));
  definition.group = group.symbol;
  TRY_VOID(lexer.expect("="));
  do {
    GroupRun run;
    TRY(run.group, lexer.expect_integer("a group"));
    TRY_VOID(lexer.expect(":"));
    TRY(run.rows, lexer.expect_integer("a number of rows"));
    definition.runs.push_back(run);
  } while (!lexer.at_end());
  return {};
}

}  // namespace

Result<Definition> parse_definition(std::string_view text) {
  HloLexer lexer(text, "definition");
  Definition definition;
  TRY(definition.result, read_indexed(lexer));
  TRY_VOID(lexer.expect("="));
  definition.relu = lexer.accept("relu(");
  do {
    TRY(definition.factors.emplace_back(), read_indexed(lexer));
  } while (!lexer.at_end() && lexer.peek() != ')' && !lexer.starts_with("where"));
  if (definition.relu) TRY_VOID(lexer.expect(")"));
  if (lexer.accept("where")) TRY_VOID(read_groups(lexer, definition));
  if (!lexer.at_end()) return lexer.expected("the end of the definition");
  if (definition.factors.size() > 2)
    return lexer.error_at(
        0, "got " + std::to_string(definition.factors.size()) + " factors, expected one or two");
  for (const std::string& index : definition.result.indices) {
    if (std::ranges::none_of(definition.factors,
                             [&](const auto& f) { return std::ranges::count(f.indices, index) > 0; }))
      return lexer.error_at(0, "index " + index + " of " + definition.result.symbol + " is in no factor");
  }
  return definition;
}

}  // namespace shardscope::inline program
