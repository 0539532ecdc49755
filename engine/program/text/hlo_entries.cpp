// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_entries.h"

#include <algorithm>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

// Of metadata the compiler says op_type first, then op_name. 0: what others there are begins otherwise.
size_t behind_op_type(std::string_view others) {
  if (!others.starts_with("op_type=\"")) return 0;
  size_t at = others.find('"');
  do at = others.find_first_of("\\\"", at + 1);
  while (at != std::string_view::npos && others[at] == '\\' && ++at < others.size());
  const std::string_view rest = at < others.size() ? others.substr(at + 1) : "?";
  return rest.empty() || rest.front() == ' ' || rest.front() == ',' ? at + 1 : 0;
}

// "{ours others}".
std::string own_entries_text(const OwnEntries& own, std::string_view others) {
  const size_t first = own.separator == ' ' ? behind_op_type(others) : 0;
  std::string out = "{" + std::string(others.substr(0, first));
  for (const auto& [key, value] : own.entries) {
    if (out.size() > 1) out += own.separator;
    out += key + "=" + (own.separator == ' ' ? c_escaped(value) : quote(value));
  }
  others.remove_prefix(first);  // what follows begins with what separated it
  if (!others.empty() && first == 0) out += own.separator;
  return out + std::string(others) + "}";
}

std::string_view without_braces(std::string_view text) {
  return text.size() >= 2 && text.front() == '{' && text.back() == '}' ? text.substr(1, text.size() - 2)
                                                                       : text;
}

}  // namespace

Result<std::string> read_entries(
    HloLexer& lexer, char separator,
    const std::function<Result<bool>(std::string_view, const std::string&)>& take) {
  const std::string_view between_entries = separator == ' ' ? " ," : ",";
  const std::string key_stop = std::string(1, separator) + "=";
  TRY_VOID(lexer.expect("{"));
  std::string others;
  size_t last_end = 0;  // behind the entry before
  bool any = false;
  while (!lexer.accept("}")) {
    const size_t start = lexer.position();
    TRY(const std::string_view key, lexer.balanced(key_stop));
    TRY_VOID(lexer.expect("="));
    const size_t value_start = lexer.position();
    TRY(const std::string_view value, lexer.balanced(between_entries));
    if (key.empty()) return lexer.error_at(start, "got '=', expected a key");
    auto mine = take(key, unquote(value));
    if (!mine.ok()) {
      const Error& e = mine.error();
      return lexer.error_at(value_start, e.where.empty() ? e.what : e.what + " in " + e.where);
    }
    any = true;
    const size_t end = value_start + value.size();
    if (!*mine) {
      // What separates them is kept: ours may stand before them when they are printed.
      others += lexer.between(others.empty() ? start : last_end, end);
    }
    last_end = end;
    if (separator == ' ') lexer.accept(",");
    if (separator == ',' && !lexer.accept(",") && !lexer.starts_with("}"))
      return lexer.expected("',' or '}'");
  }
  if (others.empty() && any) return std::string();
  return "{" + others + "}";
}

void for_verbatim(const std::vector<VerbatimAttribute>& verbatim, const std::vector<OwnEntries>& own,
                  const std::function<void(std::string_view, std::string_view)>& put) {
  std::vector<char> printed(own.size());
  for (const VerbatimAttribute& attribute : verbatim) {
    const auto mine =
        std::find_if(own.begin(), own.end(), [&](const OwnEntries& o) { return o.key == attribute.key; });
    const auto place = static_cast<size_t>(mine - own.begin());
    if (mine == own.end() || mine->entries.empty() || printed[place]) {
      put(attribute.key, attribute.value);
    } else {
      printed[place] = 1;
      put(mine->key, own_entries_text(*mine, without_braces(attribute.value)));
    }
  }
  for (size_t i = 0; i < own.size(); ++i)
    if (!printed[i] && !own[i].entries.empty()) put(own[i].key, own_entries_text(own[i], ""));
}

}  // namespace shardscope::inline program
