// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/held_items.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope {

std::vector<std::string> held_items(const Story& story, int32_t device, Picoseconds time) {
  const std::string all = holdings_text(story, device, time);
  std::vector<std::string> out;
  // Between names stand blanks or commas; "(2 of 4)" belongs to the name before it.
  int depth = 0;
  std::string word;
  for (const char c : all) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '(' && word.empty() && !out.empty()) {
      word = out.back() + " ";
      out.pop_back();
    }
    if (depth == 0 && (c == ' ' || c == ',')) {
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
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

}  // namespace

std::vector<std::string> lines_of_items(const Pen& pen, const std::vector<std::string>& items, float width,
                                        int lines, float size) {
  if (items.empty() || lines < 1) return {};
  constexpr size_t kMostOnLine = 24;
  for (size_t shown = std::min(items.size(), kMostOnLine * static_cast<size_t>(lines));; --shown) {
    std::vector<std::string> words;
    for (size_t i = 0; i < shown; ++i) words.push_back(items[i]);
    if (shown < items.size()) words.push_back(fmt::format("+{}", items.size() - shown));
    std::vector<std::string> out = filled(pen, words, width, lines, size);
    if (!out.empty() || shown == 0) return out;
  }
}

}  // namespace shardscope
