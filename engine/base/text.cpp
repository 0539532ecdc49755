// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>

namespace shardscope {

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string join(const std::vector<int64_t>& numbers, std::string_view separator) {
  std::vector<std::string> parts;
  for (const int64_t n : numbers) parts.push_back(std::to_string(n));
  return join(parts, separator);
}

std::string hundredths(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), small_letter);
  return out;
}

std::optional<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> nearest(std::string_view wrong, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  size_t best_distance = std::max<size_t>(2, wrong.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    std::vector<size_t> previous(candidate.size() + 1);
    std::iota(previous.begin(), previous.end(), size_t{0});
    for (size_t i = 0; i < wrong.size(); ++i) {
      std::vector<size_t> current(candidate.size() + 1, i + 1);
      for (size_t j = 0; j < candidate.size(); ++j) {
        const size_t replace = previous[j] + (small_letter(wrong[i]) == small_letter(candidate[j]) ? 0 : 1);
        current[j + 1] = std::min({previous[j + 1] + 1, current[j] + 1, replace});
      }
      previous = std::move(current);
    }
    if (previous.back() < best_distance) {
      best_distance = previous.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace shardscope
