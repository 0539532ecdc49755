// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program::proto {
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

// The parts between the brackets of "{a, b}" or "[a, b]", commas in strings and brackets aside.
std::vector<std::string_view> parts_of(std::string_view value) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t start = 1;
  for (size_t at = 1; at + 1 < value.size(); ++at) {
    const char c = value[at];
    if (c == '"') {
      at = std::min(behind_string(value, at), value.size()) - 1;
    } else if (c == ',' && depth == 0) {
      out.push_back(trim(value.substr(start, at - start)));
      start = at + 1;
    } else {
      depth += c == '{' || c == '[' || c == '(' ? 1 : c == '}' || c == ']' || c == ')' ? -1 : 0;
    }
  }
  const std::string_view last = trim(value.substr(start, value.size() - 1 - start));
  if (!last.empty() || !out.empty()) out.push_back(last);
  return out;
}

// A dictionary with its keys in order, as XLA prints configurations; what is none stays as it is.
std::string sorted(std::string_view value, int depth) {
  constexpr int kDeepest = 32;
  const bool object = value.starts_with('{') && value.ends_with('}');
  const bool array = value.starts_with('[') && value.ends_with(']');
  if ((!object && !array) || depth == kDeepest) return std::string(value);
  std::vector<std::pair<std::string, std::string>> parts;  // key with its colon, value
  for (const std::string_view part : parts_of(value)) {
    size_t behind = 0;
    if (object) {
      if (!part.starts_with('"')) return std::string(value);
      behind = behind_string(part, 0);
      if (behind == std::string_view::npos || behind >= part.size() || part[behind] != ':')
        return std::string(value);
      ++behind;
    }
    parts.emplace_back(part.substr(0, behind), sorted(trim(part.substr(behind)), depth + 1));
  }
  if (object) std::ranges::stable_sort(parts, {}, [](const auto& part) { return part.first; });
  std::string out(1, value.front());
  for (const auto& [key, of_key] : parts) out += (out.size() > 1 ? "," : "") + key + of_key;
  return out + value.back();
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

std::string config_text(std::string_view value) {
  return is_dictionary(value) ? sorted(value, 0) : c_escaped(value);
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

}  // namespace shardscope::inline program::proto
