// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_modules.h"

#include <algorithm>
#include <set>

#include "engine/program/mlir/mlir_lexer.h"

namespace shardscope::inline program {
namespace {

constexpr std::string_view kPretty = "module", kGeneric = "\"builtin.module\"";

// Lines that begin with `word` and do not go on with it.
void add_lines(std::string_view text, std::string_view word, std::vector<size_t>& out) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t behind = at + word.size();
    const bool first = at == 0 || text[at - 1] == '\n';
    if (first && behind < text.size() && !MlirLexer::in_word(text[behind])) out.push_back(at);
  }
}

std::string_view name_at(std::string_view text, size_t head) {
  MlirLexer lexer(text.substr(head), "");
  if (lexer.accept_word(kPretty)) return lexer.accept("@") ? lexer.suffix() : kPretty;
  constexpr std::string_view kSymbol = "sym_name = \"";
  const std::string_view line = text.substr(head, text.find('\n', head) - head);
  const size_t symbol = line.find(kSymbol);
  if (symbol == std::string_view::npos) return kPretty;
  const std::string_view name = line.substr(symbol + kSymbol.size());
  return name.substr(0, name.find('"'));
}

// "loc1" of the line "#loc1 = …" that begins at `at`; empty: it is another line.
std::string_view alias_at(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != '#' && text[at] != '!')) return {};
  MlirLexer lexer(text.substr(at + 1), "");
  return lexer.suffix();
}

size_t line_behind(std::string_view text, size_t at) {
  return std::min(text.find('\n', at), text.size() - 1) + 1;
}

// Where the module that begins at `head` begins with its aliases, behind `before`. Of those in front of it
// the first that is called as one of the module before begins it; of others nobody can tell, and they are its
// own where the module before has none in front either.
size_t begin_with_aliases(std::string_view text, const OneModule& before, size_t before_head, size_t head) {
  std::set<std::string_view> known;
  for (size_t at = before.start; at < before_head; at = line_behind(text, at))
    if (const auto alias = alias_at(text, at); !alias.empty()) known.insert(alias);
  const bool has_some = !known.empty();
  size_t first = head;
  for (size_t at = text.find("\n}", before_head); at < head; at = line_behind(text, at)) {
    const auto alias = alias_at(text, at);
    if (alias.empty()) continue;
    if (!known.insert(alias).second) return at;
    first = std::min(first, at);
  }
  return has_some ? head : first;
}

}  // namespace

std::vector<OneModule> mlir_modules(std::string_view text) {
  std::vector<size_t> heads;
  add_lines(text, kPretty, heads);
  add_lines(text, kGeneric, heads);
  std::ranges::sort(heads);
  if (heads.empty()) return {{kPretty, 0, text.size()}};
  std::vector<OneModule> out;
  for (size_t k = 0; k < heads.size(); ++k) {
    const size_t start = k == 0 ? 0 : begin_with_aliases(text, out.back(), heads[k - 1], heads[k]);
    if (k > 0) out.back().end = start;
    out.push_back({name_at(text, heads[k]), start, text.size()});
  }
  return out;
}

}  // namespace shardscope::inline program
