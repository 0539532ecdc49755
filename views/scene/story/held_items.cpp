// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/held_items.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope {

std::vector<HeldItem> held_items(const std::vector<HeldNames>& held) {
  std::vector<HeldItem> out;
  for (const HeldNames& alike : held) {
    for (const std::string& name : alike.names) out.push_back({name, alike.terms, false});
    if (!out.empty()) out.back().ends_group = true;
  }
  return out;
}

namespace {

// Filled line by line; empty when one word is too wide or they take too many lines.
std::vector<std::string> filled(const Pen& pen, const std::vector<std::string>& words, float width, int lines,
                                float size) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    if (pen.width(word, size) > width) return {};
    const std::string longer = out.empty() ? word : out.back() + " " + word;
    if (!out.empty() && pen.width(longer, size) <= width)
      out.back() = longer;
    else
      out.push_back(word);
    if (static_cast<int>(out.size()) > lines) return {};
  }
  return out;
}

// "a3," "y0.1" "y0.2" "(2 of 4)" "+3": the first `shown`.
std::vector<std::string> words_of(const std::vector<HeldItem>& items, size_t shown) {
  std::vector<std::string> words;
  for (size_t i = 0; i < shown; ++i) {
    words.push_back(items[i].name);
    const bool last = i + 1 == shown;
    if (!last && !items[i].ends_group) continue;
    if (!items[i].terms.empty()) words.push_back("(" + items[i].terms + ")");
    if (!last) words.back() += ",";
  }
  if (shown < items.size()) words.push_back(fmt::format("+{}", items.size() - shown));
  return words;
}

}  // namespace

std::vector<std::string> lines_of_items(const Pen& pen, const std::vector<HeldItem>& items, float width,
                                        int lines, float size) {
  if (items.empty() || lines < 1) return {};
  constexpr size_t kMostOnLine = 24;
  for (size_t shown = std::min(items.size(), kMostOnLine * static_cast<size_t>(lines));; --shown) {
    std::vector<std::string> out = filled(pen, words_of(items, shown), width, lines, size);
    if (!out.empty() || shown == 0) return out;
  }
}

}  // namespace shardscope
