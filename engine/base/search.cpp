// SPDX-License-Identifier: Apache-2.0
#include "engine/base/search.h"

#include "engine/base/text.h"

namespace shardscope {
namespace {

enum Distance : int { named_so, begins_so, begins_a_word, in_a_name, in_names, phrase_in_text, in_text };

// Of UTF-8 every byte beyond ASCII is of a letter.
bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

std::string folded(std::string_view text) {
  std::string out = small_letters(text);
  for (size_t i = 1; i + 1 < out.size(); ++i) {
    const bool joins = out[i] == '_' || out[i] == '-' || out[i] == '.';
    if (joins && in_word(out[i - 1]) && in_word(out[i + 1])) out[i] = ' ';
  }
  return out;
}

std::optional<int> distance_to_name(const std::string& name, const std::string& phrase) {
  if (name == phrase) return named_so;
  size_t at = name.find(phrase);
  if (at == std::string::npos) return std::nullopt;
  if (at == 0) return begins_so;
  for (; at != std::string::npos; at = name.find(phrase, at + 1))
    if (!in_word(name[at - 1])) return begins_a_word;
  return in_a_name;
}

}  // namespace

Searched::Searched(const std::vector<std::string>& names, std::string_view text) : text_(folded(text)) {
  for (const std::string& name : names) names_.push_back(folded(name));
  all_names_ = join(names_, "\n");
}

Search::Search(std::string_view words) {
  for (const std::string& word : split(folded(words), ' '))
    if (!word.empty()) words_.push_back(word);
  phrase_ = join(words_, " ");
}

std::optional<int> Search::distance(const Searched& of) const {
  if (empty()) return named_so;
  std::optional<int> nearest;
  for (const std::string& name : of.names_) {
    const auto here = distance_to_name(name, phrase_);
    if (here && (!nearest || *here < *nearest)) nearest = here;
  }
  if (nearest) return nearest;
  const auto named = [&](const std::string& word) { return of.all_names_.find(word) != std::string::npos; };
  const auto told = [&](const std::string& word) { return of.text_.find(word) != std::string::npos; };
  if (std::ranges::all_of(words_, named)) return in_names;
  if (told(phrase_)) return phrase_in_text;
  const bool all = std::ranges::all_of(words_, [&](const std::string& w) { return named(w) || told(w); });
  return all ? std::optional<int>(in_text) : std::nullopt;
}

}  // namespace shardscope
