// SPDX-License-Identifier: Apache-2.0
// Who holds what, in names.
#include <algorithm>
#include <fmt/format.h>

#include "engine/story/checks/held_elements.h"
#include "tests/views/agree/checks.h"

namespace shardscope::agree_test {

void Agreement::complain(Picoseconds time, const std::string& what) {
  complaints.add(fmt::format("{} at {} ps: {}", told.name, time, what));
}

std::optional<std::vector<SaidGroup>> said_groups(const Names& names, const std::string& text) {
  std::vector<SaidGroup> out;
  bool ended = true;
  std::string rest = text;
  // Groups are parted by ", ": words_of drops commas, so they are kept as words of their own.
  std::string spaced;
  int depth = 0;
  for (const char c : rest) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    spaced += c == ',' && depth == 0 ? std::string(" | ") : std::string(1, c);
  }
  for (const std::string& word : words_of(spaced)) {
    if (word == "|") {
      ended = true;
      continue;
    }
    if (word.front() == '(') {
      if (out.empty()) return std::nullopt;
      out.back().terms = word.substr(1, word.size() - 2);
      continue;
    }
    if (ended) out.emplace_back();
    ended = false;
    const std::vector<NamedPart> named = names.of_token(word);
    if (named.empty()) return std::nullopt;
    out.back().tokens.push_back(word);
    out.back().blocks.insert(out.back().blocks.end(), named.begin(), named.end());
  }
  return out;
}

bool is_share(const std::string& said, int64_t terms, int64_t whole) {
  const size_t of = said.find(" of ");
  if (of == std::string::npos) return false;
  const int64_t some = std::atoll(said.c_str());
  const int64_t all = std::atoll(said.c_str() + of + 4);
  return some > 0 && all > 0 && some * whole == terms * all;
}

int64_t elements_in(const std::vector<IndexBox>& boxes, const IndexBox& block) {
  return elements_of(block) - elements_of(missing({block}, boxes));
}

namespace {

std::vector<IndexBox> cut_to(const std::vector<IndexBox>& boxes, const IndexBox& block) {
  std::vector<IndexBox> out;
  for (IndexBox box : boxes) {
    for (size_t d = 0; d < box.size(); ++d)
      box[d] = {std::max(box[d].start, block[d].start), std::min(box[d].stop, block[d].stop)};
    if (elements_of(box) > 0) out.push_back(box);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// One name means one set of elements; when it is the only part of its block that is held, which it is is
// known.
void check_meaning(Agreement& a, const Moment& moment, const NamedPart& part,
                   const std::vector<IndexBox>& elements) {
  if (part.parts == 0) return;
  const auto [known, fresh] = a.meaning.try_emplace(part, elements);
  if (!fresh && known->second != elements)
    a.complain(moment.time, fmt::format("part {} of {} of {} means other elements than before", part.part,
                                        part.parts, a.array(part.array).block_name(part.block)));
}

// Whether a group of names says what is held with the same terms.
bool says(Agreement& a, const Moment& moment, const SaidGroup& said, const HeldTerms& held) {
  const StoryArray& array = a.array(held.array);
  int64_t terms = 0;
  for (const IndexRange& r : held.terms) terms += r.size();
  if (said.blocks.empty() || said.blocks.front().array != held.array) return false;
  if (held.complete != said.terms.empty()) return false;
  if (!held.complete && !is_share(said.terms, terms, array.terms)) return false;
  for (int64_t b = 0; b < array.block_count(); ++b) {
    const IndexBox box = array.block_box(b);
    const int64_t there = elements_in(held.boxes, box);
    std::vector<NamedPart> parts;
    for (const NamedPart& part : said.blocks)
      if (part.block == b) parts.push_back(part);
    if ((there > 0) != !parts.empty()) return false;
    const bool whole = parts.size() == 1 && parts[0].part == 0;
    if (there > 0 && whole != (there == elements_of(box))) return false;
    if (there > 0 && parts.size() == 1 && !whole) check_meaning(a, moment, parts[0], cut_to(held.boxes, box));
  }
  return true;
}

}  // namespace

void check_held_text(Agreement& a, const Moment& moment, int32_t device, const std::string& text) {
  const auto said = said_groups(a.names, text);
  const std::vector<HeldTerms>& held = moment.held[static_cast<size_t>(device)];
  if (!said) {
    a.complain(moment.time, "names nothing: " + text);
    return;
  }
  std::vector<bool> found(said->size(), false);
  for (const HeldTerms& one : held) {
    bool told = false;
    for (size_t g = 0; g < said->size() && !told; ++g) {
      if (found[g] || !says(a, moment, (*said)[g], one)) continue;
      // Arrays whose complete pieces come from different sums stand in one group.
      found[g] = told = true;
    }
    if (!told)
      a.complain(moment.time, fmt::format("{} holds {} (complete: {}), not said in '{}'",
                                          a.told.place(device), a.array(one.array).name, one.complete, text));
  }
  for (size_t g = 0; g < said->size(); ++g)
    if (!found[g])
      a.complain(moment.time, fmt::format("{} does not hold '{}' of '{}'", a.told.place(device),
                                          (*said)[g].tokens.empty() ? "" : (*said)[g].tokens[0], text));
}

std::string wrong_page(const std::string& shown, const std::vector<std::string>& all) {
  std::string rest = shown;
  size_t more = 0;
  if (const size_t plus = rest.rfind('+');
      plus != std::string::npos && (plus == 0 || rest[plus - 1] == ' ') &&
      rest.find_first_not_of("0123456789", plus + 1) == std::string::npos) {
    more = static_cast<size_t>(std::atoll(rest.c_str() + plus + 1));
    rest.erase(plus == 0 ? 0 : plus - 1);
  }
  if (more > all.size()) return fmt::format("'{}' of {} names", shown, all.size());
  std::string expected;
  for (size_t i = 0; i + more < all.size(); ++i) expected += (i > 0 ? " " : "") + all[i];
  if (rest == expected) return "";
  // One name that has not room for all its letters.
  const size_t cut = rest.find("…");
  if (all.size() == 1 && cut != std::string::npos && cut > 0 && all[0].starts_with(rest.substr(0, cut)))
    return "";
  return fmt::format("'{}', expected '{}' and {} more", shown, expected, more);
}

bool inside(const Point& p, const Rect& r) {
  return p.x >= r.x && p.x <= r.right() && p.y >= r.y && p.y <= r.bottom();
}

std::vector<const TextItem*> texts_in(const Scene& scene, const Rect& r) {
  std::vector<const TextItem*> out;
  for (const TextItem& text : scene.texts())
    if (inside(text.at, r)) out.push_back(&text);
  std::stable_sort(out.begin(), out.end(), [](const auto* x, const auto* y) { return x->at.y < y->at.y; });
  return out;
}

int32_t device_of(const Agreement& a, const std::string& place) {
  for (int32_t d = 0; d < a.told.run->timeline.devices; ++d)
    if (a.told.place(d) == place) return d;
  return -1;
}

std::string beat_words(const Moment& moment, size_t beats) {
  if (moment.last_beat == 0) return fmt::format("before the first of {} steps", beats - 1);
  if (moment.first_beat == moment.last_beat) return fmt::format("step {} of {}", moment.last_beat, beats - 1);
  return fmt::format("steps {}–{} of {}", moment.first_beat, moment.last_beat, beats - 1);
}

std::string sentence_head(const Moment& moment, size_t beats) {
  return beat_words(moment, beats) + (moment.under_way ? ", under way; at its end: " : ": ");
}

std::vector<const MovedBlocks*> travelling(const Agreement& a, const Moment& moment) {
  std::vector<const MovedBlocks*> out;
  for (const MovedBlocks& moved : a.moved) {
    const bool leaves = moved.start == moment.time && moment.under_way;
    if ((leaves || moved.start < moment.time) && moment.time < moved.end) out.push_back(&moved);
  }
  return out;
}

std::vector<const MovedBlocks*> arrived(const Agreement& a, const Moment& moment) {
  std::vector<const MovedBlocks*> out;
  for (const MovedBlocks& moved : a.moved)
    if (!moment.under_way && moved.beat >= moment.first_beat && moved.beat <= moment.last_beat)
      out.push_back(&moved);
  return out;
}

bool names_it(const Agreement& a, const std::string& name, const MovedBlocks& moved) {
  if (!moved.unknown.empty()) return name == moved.unknown;
  std::vector<NamedPart> said = a.names.of_text(name);
  if (said.size() != moved.blocks.size()) return false;
  for (size_t i = 0; i < said.size(); ++i) {
    NamedPart meant = moved.blocks[i];
    if (said[i].parts == 0) meant.parts = 0;
    if (said[i] != meant) return false;
  }
  return true;
}

}  // namespace shardscope::agree_test
