// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/window_text.h"

#include <algorithm>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

// The numbers between `separator`s; what fails says that it expected `what`.
Result<std::vector<int64_t>> numbers_of(const HloLexer& lexer, size_t place, std::string_view text,
                                        char separator, const std::string& what) {
  std::vector<int64_t> out;
  for (const std::string& part : split(text, separator)) {
    const auto number = parse_int(part);
    if (!number || *number > kMostPadding || *number < -kMostPadding)
      return lexer.error_at(place, "got '" + std::string(text) + "', expected " + what);
    out.push_back(*number);
  }
  return out;
}

// An entry of window={…} and the numbers that it sets in each dimension.
struct WindowEntry {
  std::string_view key;
  size_t numbers;  // in each dimension
  int64_t least;
  void (*set)(WindowDim& dim, const std::vector<int64_t>& numbers);
  std::string (*get)(const WindowDim& dim);
};
template <int64_t WindowDim::*kMember>
constexpr WindowEntry from_one(std::string_view key) {
  return {key, 1, 1, [](WindowDim& dim, const std::vector<int64_t>& n) { dim.*kMember = n[0]; },
          [](const WindowDim& dim) { return std::to_string(dim.*kMember); }};
}
constexpr WindowEntry kWindowEntries[] = {
    from_one<&WindowDim::size>("size"),
    from_one<&WindowDim::stride>("stride"),
    {"pad", 2, -kMostPadding,
     [](WindowDim& dim, const std::vector<int64_t>& n) { dim.low = n[0], dim.high = n[1]; },
     [](const WindowDim& dim) { return std::to_string(dim.low) + "_" + std::to_string(dim.high); }},
    from_one<&WindowDim::base_dilation>("lhs_dilate"),
    from_one<&WindowDim::window_dilation>("rhs_dilate"),
    {"rhs_reversal", 1, 0, [](WindowDim& dim, const std::vector<int64_t>& n) { dim.reversed = n[0] != 0; },
     [](const WindowDim& dim) { return std::string(dim.reversed ? "1" : "0"); }},
};

Result<void> read_window_entry(HloLexer& lexer, std::vector<WindowDim>& window) {
  const size_t place = lexer.position();
  TRY(const std::string_view key, lexer.expect_word("size, stride, pad, …"));
  const auto entry = std::find_if(std::begin(kWindowEntries), std::end(kWindowEntries),
                                  [&](const WindowEntry& e) { return e.key == key; });
  if (entry == std::end(kWindowEntries))
    return lexer.error_at(place, "window has '" + std::string(key) +
                                     "', expected size, stride, pad, "
                                     "lhs_dilate, rhs_dilate or rhs_reversal");
  TRY_VOID(lexer.expect("="));
  const std::string expected = entry->numbers == 2
                                   ? "pad=low_highx…"
                                   : std::string(key) + "=3x3, from " + std::to_string(entry->least);
  TRY(const std::string_view text, lexer.expect_word(expected));
  const std::vector<std::string> dims = split(text, 'x');
  if (window.empty()) window.resize(dims.size());
  if (dims.size() != window.size())
    return lexer.error_at(place, "window has " + std::string(key) + " of " + std::to_string(dims.size()) +
                                     " dimensions, expected " + std::to_string(window.size()));
  for (size_t d = 0; d < dims.size(); ++d) {
    TRY(const std::vector<int64_t> numbers, numbers_of(lexer, place, dims[d], '_', expected));
    if (numbers.size() != entry->numbers || numbers[0] < entry->least)
      return lexer.error_at(place, "got '" + dims[d] + "', expected " + expected);
    entry->set(window[d], numbers);
  }
  return {};
}

}  // namespace

Result<Padding> read_padding(HloLexer& lexer) {
  const std::string expected = "padding=low_high[_interior]x…, the interior from 0";
  const size_t place = lexer.position();
  Padding padding;
  TRY(const std::string_view text, lexer.expect_word(expected));
  for (const std::string& part : split(text, 'x')) {
    TRY(const std::vector<int64_t> ends, numbers_of(lexer, place, part, '_', expected));
    if (ends.size() != 2 && ends.size() != 3)
      return lexer.error_at(place, "got '" + part + "', expected " + expected);
    const int64_t interior = ends.size() == 3 ? ends[2] : 0;
    if (interior < 0) return lexer.error_at(place, "got '" + part + "', expected " + expected);
    padding.dims.push_back({ends[0], ends[1], interior});
  }
  return padding;
}

std::string padding_text(const Padding& padding) {
  const bool spread =
      std::any_of(padding.dims.begin(), padding.dims.end(), [](const PadDim& p) { return p.interior != 0; });
  std::vector<std::string> dims;
  for (const PadDim& p : padding.dims)
    dims.push_back(std::to_string(p.low) + "_" + std::to_string(p.high) +
                   (spread ? "_" + std::to_string(p.interior) : ""));
  return join(dims, "x");
}

Result<std::vector<WindowDim>> read_window_dims(HloLexer& lexer) {
  std::vector<WindowDim> window;
  TRY_VOID(lexer.expect("{"));
  while (!lexer.accept("}")) TRY_VOID(read_window_entry(lexer, window));
  return window;
}

// As XLA does: sizes, and what differs from 1, from no padding and from not reversed.
std::string window_text(const std::vector<WindowDim>& window) {
  std::vector<std::string> entries;
  for (const WindowEntry& entry : kWindowEntries) {
    const std::string plain = entry.get(WindowDim());
    std::vector<std::string> dims;
    for (const WindowDim& dim : window) dims.push_back(entry.get(dim));
    const bool said = std::any_of(dims.begin(), dims.end(), [&](const auto& d) { return d != plain; });
    if (said || (entry.key == "size" && !window.empty()))
      entries.push_back(std::string(entry.key) + "=" + join(dims, "x"));
  }
  return "{" + join(entries, " ") + "}";
}

}  // namespace shardscope::inline program
