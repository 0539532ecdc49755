// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/typed_number.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline lesson {
namespace {

constexpr int64_t kLargestWord = 12;

struct Spelling {
  std::string_view text, of;  // of: as FactUnits are written
};
constexpr std::array kSpellings{
    Spelling{"byte", "B"},          Spelling{"bytes", "B"},         Spelling{"sec", "s"},
    Spelling{"second", "s"},        Spelling{"seconds", "s"},       Spelling{"millisecond", "ms"},
    Spelling{"milliseconds", "ms"}, Spelling{"microsecond", "us"},  Spelling{"microseconds", "us"},
    Spelling{"μs", "us"},           Spelling{"nanosecond", "ns"},   Spelling{"nanoseconds", "ns"},
    Spelling{"flops", "FLOP"},      Spelling{"gflops", "GFLOP"},    Spelling{"tflops", "TFLOP"},
    Spelling{"flops/s", "FLOP/s"},  Spelling{"tflops/s", "TFLOP/s"}};
constexpr std::string_view kSeparators = ".,' ";
constexpr std::array<std::string_view, 3> kTimes{"times", "x", "×"};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Where the number at the front of a text ends: digits, separators between digits, a sign, an exponent.
size_t number_end(std::string_view text) {
  size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const auto digit_at = [&](size_t k) { return k < text.size() && is_digit(text[k]); };
  while (digit_at(at) ||
         (at < text.size() && kSeparators.find(text[at]) != std::string_view::npos && digit_at(at + 1)))
    ++at;
  if (at > 0 && at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t power = at + 1;
    if (power < text.size() && (text[power] == '+' || text[power] == '-')) ++power;
    if (digit_at(power)) at = power;
    while (digit_at(at)) ++at;
  }
  return at;
}

// Groups of three behind at most three digits that do not begin with 0: "1,536".
bool groups(std::string_view digits, char separator) {
  const std::vector<std::string> parts = split(digits, separator);
  if (parts.size() < 2 || parts[0].empty() || parts[0].size() > 3 || parts[0] == "0") return false;
  return std::all_of(parts.begin() + 1, parts.end(),
                     [](const std::string& p) { return p.size() == 3 && std::ranges::all_of(p, is_digit); });
}

std::vector<double> readings_of(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\''; });
  std::vector<std::string> written;
  const size_t commas = static_cast<size_t>(std::ranges::count(text, ','));
  const std::string whole = text.substr(0, text.find('.'));
  if (commas > 0 && (groups(whole, ',') || text.find('.') != std::string::npos)) {
    std::string grouped = text;
    std::erase(grouped, ',');
    written.push_back(grouped);
  }
  if (commas == 1 && text.find('.') == std::string::npos) {
    std::string decimal = text;
    std::ranges::replace(decimal, ',', '.');
    written.push_back(decimal);
  }
  if (commas == 0) written.push_back(text);
  std::vector<double> out;
  for (std::string& each : written) {
    if (each.starts_with("+")) each.erase(0, 1);
    if (const auto number = parse_double(each)) out.push_back(*number);
  }
  return out;
}

}  // namespace

std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  const auto end = [&] {
    if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
    if (!word.empty()) out.push_back(std::move(word));
    word.clear();
  };
  for (const char c : small_letters(text)) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += c;
    } else {
      end();
    }
  }
  end();
  return out;
}

std::vector<std::pair<std::string, double>> typed_words() {
  std::vector<std::pair<std::string, double>> out{{"zero", 0}, {"none", 0}, {"nothing", 0}};
  for (int64_t number = 0; number <= kLargestWord; ++number)
    out.emplace_back(number_word(number), static_cast<double>(number));
  return out;
}

std::vector<std::pair<std::string, double>> typed_units(const FactUnit& unit) {
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [text, worth] : written_units(unit)) {
    out.emplace_back(small_letters(text), worth);
    for (const Spelling& spelling : kSpellings)
      if (spelling.of == text) out.emplace_back(spelling.text, worth);
  }
  if (!unit.none()) return out;
  out.emplace_back("percent", 0.01);
  for (const std::string_view times : kTimes) out.emplace_back(times, 1);
  return out;
}

Result<TypedNumber> typed_number(std::string_view given) {
  const std::string text = small_letters(trim(given));
  const size_t end = number_end(text);
  TypedNumber out{readings_of(text.substr(0, end)), std::string(trim(std::string_view(text).substr(end)))};
  if (!out.readings.empty()) return out;
  const size_t space = text.find(' ');
  for (const auto& [word, number] : typed_words())
    if (text.substr(0, space) == word)
      return TypedNumber{{number}, std::string(trim(std::string_view(text).substr(word.size())))};
  return invalid(fmt::format("'{}' is not a number", trim(given)), "", "write one, as 12 or 2.5");
}

}  // namespace shardscope::inline lesson
