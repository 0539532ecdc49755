// SPDX-License-Identifier: Apache-2.0
// What every search for something by its name does: palette, presets, help, keys, strategies, outlines.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope {

// What a thing is called, and what is said of it besides, as a search reads them: small letters, and a blank
// for what joins words ("megatron.mlp", "all-reduce", "ring_os").
class Searched {
 public:
  explicit Searched(const std::vector<std::string>& names, std::string_view text = "");

 private:
  friend class Search;
  std::vector<std::string> names_;
  std::string all_names_, text_;
};

// Words that somebody typed.
class Search {
 public:
  explicit Search(std::string_view words);
  bool empty() const { return words_.empty(); }
  const std::vector<std::string>& words() const { return words_; }
  // How near, 0 the nearest: what is called so, what begins so, a name with the words as they were typed,
  // names that have them all, then what is said of it. None: a word is nowhere. All are alike to a search for
  // nothing.
  std::optional<int> distance(const Searched& of) const;
  bool finds(const Searched& it) const { return distance(it).has_value(); }

 private:
  std::string phrase_;
  std::vector<std::string> words_;
};

// Places of those found, the nearest first; of equals as they come.
template <class Rows, class Of>
std::vector<size_t> found_in(const Rows& rows, const Search& search, const Of& searched) {
  std::vector<std::pair<int, size_t>> near;
  for (size_t i = 0; i < rows.size(); ++i)
    if (const auto distance = search.distance(searched(rows[i]))) near.emplace_back(*distance, i);
  std::ranges::sort(near);
  std::vector<size_t> out;
  for (const auto& [distance, place] : near) out.push_back(place);
  return out;
}

}  // namespace shardscope
