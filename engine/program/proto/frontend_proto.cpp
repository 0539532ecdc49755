// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::proto {
namespace {

// Whether it reads as one "{…}": brackets in pairs, strings that end, nothing that the text takes for a
// comment or a blank line's end.
bool is_dictionary(std::string_view value) {
  if (!value.starts_with('{')) return false;
  std::string open;
  for (size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') return false;
    if (c == '"') {
      const size_t end = behind_string(value, at);
      if (end == std::string_view::npos) return false;
      at = end - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || open.back() != c) return false;
      open.pop_back();
      if (open.empty()) return at + 1 == value.size();
    } else if (c == '/' && at + 1 < value.size() && (value[at + 1] == '/' || value[at + 1] == '*')) {
      return false;
    }
  }
  return false;
}

std::string key_text(std::string_view key) {
  std::string out(key);
  std::ranges::replace_if(
      out,
      [](char c) {
        return static_cast<unsigned char>(c) <= ' ' ||
               std::string_view("\"'(){}[],=/#").find(c) != std::string_view::npos;
      },
      '_');
  return out;
}

}  // namespace

std::string value_text(std::string_view value) {
  return is_dictionary(value) ? std::string(value) : c_escaped(value);
}

std::string frontend_text(const wire::Message& attributes) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (const wire::Message& entry : attributes.messages(1))
    entries.emplace_back(entry.bytes(field::Pair::first), entry.bytes(field::Pair::second));
  if (entries.empty()) return "";
  std::ranges::sort(entries);
  std::vector<std::string> words;
  for (const auto& [key, value] : entries)
    if (!key.empty()) words.push_back(key_text(key) + "=" + value_text(value));
  return "{" + join(words, ",") + "}";
}

}  // namespace shardscope::proto
