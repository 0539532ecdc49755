// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/held_items.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

#include "engine/base/say.h"
#include "engine/base/text.h"

namespace shardscope::inline views {

std::vector<HeldItem> held_items(const std::vector<HeldNames>& held) {
  std::vector<HeldItem> out;
  for (const HeldNames& alike : held) {
    for (const std::string& name : alike.names) out.push_back({name, alike.terms, false});
    if (!out.empty()) out.back().ends_group = true;
  }
  return out;
}

namespace {

// "a" and 3 of "a3", "a3." and 1 of "a3.1"; none: it ends in no number.
struct Numbered {
  std::string name;
  int64_t number = 0;
};
std::optional<Numbered> numbered(const std::string& text) {
  size_t at = text.size();
  while (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1])) != 0) --at;
  if (at == 0 || at == text.size() || text.size() - at > 9) return std::nullopt;
  return Numbered{text.substr(0, at), std::stoll(text.substr(at))};
}

constexpr std::string_view kTo = "–";

// Both ends of "a0–a3".
std::optional<std::pair<Numbered, Numbered>> ends_of(const std::string& name) {
  const size_t to = name.find(kTo);
  if (to == std::string::npos) return std::nullopt;
  const auto first = numbered(name.substr(0, to)), last = numbered(name.substr(to + kTo.size()));
  if (!first || !last || first->name != last->name) return std::nullopt;
  return std::pair(*first, *last);
}

// Of which array, and how many of its blocks. What has a dot is a part of a block, "a3.1", or a block of an
// array with a longer name, "w1.0": pieces, which are counted together.
struct Counted {
  std::string array;
  int64_t count = 1;
  bool pieces = false;
};
Counted numbered_name(const std::string& name) {
  const auto ends = ends_of(name);
  const int64_t count = ends ? ends->second.number - ends->first.number + 1 : 1;
  const auto one = ends ? std::optional(ends->first) : numbered(name);
  if (one && one->name.find_first_of("./") != std::string::npos) return {"", count, true};
  return one ? Counted{one->name, count} : Counted{name, 1};
}

std::string counted_words(const Counted& of) {
  if (of.pieces) return say_count("{} piece", "{} pieces", of.count);
  return fmt::format("{} {}", of.count, of.array);
}

std::string short_terms_of(std::string terms) {
  if (const size_t of = terms.find(" of "); of != std::string::npos) terms.replace(of, 4, "/");
  return terms;
}

// How many of each array, with the same terms together.
std::vector<HeldItem> counts_of(const std::vector<HeldItem>& items) {
  std::vector<HeldItem> out;
  std::vector<Counted> group;
  const auto close = [&](const std::string& terms) {
    for (const Counted& each : group) out.push_back({counted_words(each), short_terms_of(terms), false});
    if (!out.empty()) out.back().ends_group = true;
    group.clear();
  };
  for (const HeldItem& item : items) {
    const Counted one = numbered_name(item.name);
    const auto there = std::ranges::find(group, one.array, &Counted::array);
    if (there == group.end())
      group.push_back(one);
    else
      there->count += one.count;
    if (item.ends_group) close(item.terms);
  }
  return out;
}

// Of which arrays there is anything: "a", "Σy".
enum class Stem : uint8_t { whole, letters };
std::vector<HeldItem> arrays_of(const std::vector<HeldItem>& items, Stem stem) {
  std::vector<HeldItem> out;
  std::vector<std::string> group;
  for (const HeldItem& item : items) {
    const size_t dot = stem == Stem::whole ? item.name.find('.') : std::string::npos;
    const size_t end = dot != std::string::npos ? dot : item.name.find_first_of("0123456789.");
    group.push_back(end == 0 ? item.name : item.name.substr(0, end));
    if (!item.ends_group && &item != &items.back()) continue;
    for (const std::string& array : group) {
      const HeldItem one{(item.terms.empty() ? "" : "Σ") + array, "", false};
      if (std::ranges::find(out, one.name, &HeldItem::name) == out.end()) out.push_back(one);
    }
    group.clear();
  }
  return out;
}

}  // namespace

std::string counted_names(const std::string& names) {
  std::vector<HeldItem> items;
  for (const std::string& name : split(names, ' '))
    if (!name.empty()) items.push_back({name, "", false});
  if (items.empty()) return names;
  items.back().ends_group = true;
  std::vector<std::string> out;
  for (const HeldItem& item : counts_of(items)) out.push_back(item.name);
  return join(out, ", ");
}

std::string short_range(const std::string& name) {
  const auto ends = ends_of(name);
  return ends ? fmt::format("{}{}{}{}", ends->first.name, ends->first.number, kTo, ends->second.number)
              : name;
}

std::vector<std::vector<HeldItem>> shorter_items(const std::vector<HeldItem>& items) {
  std::vector<HeldItem> ranges = items;
  for (HeldItem& item : ranges) item = {short_range(item.name), short_terms_of(item.terms), item.ends_group};
  std::vector<HeldItem> counts = counts_of(items), least = counts;
  for (HeldItem& item : least) {
    std::erase(item.name, ' ');
    if (!item.terms.empty()) item.name = "Σ" + item.name;
    item.terms.clear(), item.ends_group = false;
  }
  return {items,
          std::move(ranges),
          std::move(counts),
          std::move(least),
          arrays_of(items, Stem::whole),
          arrays_of(items, Stem::letters)};
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

std::vector<std::string> all_items(const Pen& pen, const std::vector<HeldItem>& items, float width, int lines,
                                   float size) {
  for (const std::vector<HeldItem>& form : shorter_items(items)) {
    std::vector<std::string> out = filled(pen, words_of(form, form.size()), width, lines, size);
    if (!out.empty()) return out;
  }
  return {"…"};
}

}  // namespace

std::vector<std::string> lines_of_items(const Pen& pen, const std::vector<HeldItem>& items, float width,
                                        int lines, float size) {
  if (items.empty()) return {};
  if (pen.theme.presented()) return all_items(pen, items, width, lines, size);
  if (lines < 1) return {};
  constexpr size_t kMostOnLine = 24;
  for (size_t shown = std::min(items.size(), kMostOnLine * static_cast<size_t>(lines));; --shown) {
    std::vector<std::string> out = filled(pen, words_of(items, shown), width, lines, size);
    if (!out.empty() || shown == 0) return out;
  }
}

}  // namespace shardscope::inline views
