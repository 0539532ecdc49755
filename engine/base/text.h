// SPDX-License-Identifier: Apache-2.0
// Small text pieces that option and file readers share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);  // keeps empty parts; "" -> {}
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string join(const std::vector<int64_t>& numbers, std::string_view separator);
// "1.5", "0.07", "0": rounded, without zeros at the end. Of a pixel more than anybody sees.
std::string hundredths(double value);
std::optional<int64_t> parse_int(std::string_view text);    // the whole text, base 10, within int64
std::optional<double> parse_double(std::string_view text);  // the whole text, finite or not
// Of ASCII; all other bytes as they are.
constexpr char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string small_letters(std::string_view text);
// The candidate nearest to `wrong` by edit distance, when near enough to be a slip of the finger;
// capitals count as small letters.
std::optional<std::string> nearest(std::string_view wrong, const std::vector<std::string>& candidates);

}  // namespace shardscope
