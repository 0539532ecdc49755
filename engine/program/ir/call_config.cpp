// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/call_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline program {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string_view call_option(const Instruction& i, std::string_view key) {
  const std::string* config = verbatim_attribute(i, "backend_config");
  if (config == nullptr || !config->starts_with('{')) return {};
  std::string_view rest = std::string_view(*config).substr(1);
  // Entries at the top: "key = value : type, …".
  while (!rest.empty()) {
    int depth = 0;
    bool quoted = false;
    size_t end = 0;
    for (; end < rest.size(); ++end) {
      const char c = rest[end];
      if (c == '"' && (end == 0 || rest[end - 1] != '\\')) quoted = !quoted;
      if (quoted) continue;
      if (c == '{' || c == '[' || c == '<' || c == '(') ++depth;
      if (c == '}' || c == ']' || c == '>' || c == ')') --depth;
      if (depth < 0 || (depth == 0 && c == ',')) break;
    }
    const std::string_view entry = rest.substr(0, end);
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos && trim(entry.substr(0, equals)) == key) {
      const std::string_view value = trim(entry.substr(equals + 1));
      return trim(value.substr(0, value.rfind(" : ")));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::optional<int64_t> call_number(const Instruction& i, std::string_view key) {
  const std::string_view value = call_option(i, key);
  if (value == "true" || value == "false") return value == "true";
  return parse_int(value);
}

std::string_view config_behind(const Instruction& i, std::string_view key) {
  const std::string* config = verbatim_attribute(i, "backend_config");
  if (config == nullptr) return {};
  const size_t at = config->find(key);
  return at == std::string::npos ? std::string_view() : std::string_view(*config).substr(at + key.size());
}

std::optional<double> number_at(std::string_view text) {
  const size_t at = text.find_first_not_of("\\\": {n");
  if (at == std::string_view::npos || !is_digit(text[at])) return std::nullopt;
  double out = 0;
  const auto read = std::from_chars(text.data() + at, text.data() + text.size(), out);
  return read.ec == std::errc() && std::isfinite(out) ? std::optional(out) : std::nullopt;
}

std::optional<std::vector<int64_t>> config_dims(const Instruction& i, std::string_view key, size_t rank) {
  std::string_view list = config_behind(i, key);
  const size_t from = list.find('['), to = list.find(']');
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return std::nullopt;
  list = list.substr(from + 1, to - from - 1);
  std::vector<int64_t> out;
  for (const std::string& word : split(list, ',')) {
    std::string digits;
    std::ranges::copy_if(word, std::back_inserter(digits), is_digit);
    const auto dim = parse_int(digits);
    if (!dim || *dim >= static_cast<int64_t>(rank)) return std::nullopt;
    out.push_back(*dim);
  }
  return out;
}

}  // namespace shardscope::inline program
