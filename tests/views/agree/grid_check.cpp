// SPDX-License-Identifier: Apache-2.0
// The sharding grid: who holds which block, and how much of its sum.
#include <algorithm>
#include <fmt/format.h>
#include <regex>

#include "tests/views/agree/checks.h"

namespace shardscope::agree_test {
namespace {

// What a device has of one block.
struct Share {
  int64_t some = 0, whole = 0;    // elements
  int64_t least = -1, most = -1;  // terms, of the sums among them
};

// "(0,1) (2 of 4)", "(0,1) (50 % of it)".
struct SaidShare {
  std::string device, terms;
  bool part = false;
};

std::vector<SaidShare> shares_of(const std::string& text) {
  std::vector<SaidShare> out;
  for (const std::string& word : words_of(text)) {
    const bool of_it = word.ends_with(" of it)");
    if (out.empty() || !(of_it || word.find(" of ") != std::string::npos)) {
      out.push_back({word, "", false});
    } else if (of_it) {
      out.back().part = true;
    } else {
      out.back().terms = word.substr(1, word.size() - 2);
    }
  }
  return out;
}

// Whether "2 of 4" or "1–2 of 4" goes from the least to the most of `whole` terms.
bool is_range(const std::string& said, int64_t least, int64_t most, int64_t whole) {
  static const std::string kTo = "–";
  const size_t to = said.find(kTo);
  const size_t of = said.find(" of ");
  if (of == std::string::npos) return false;
  if (to == std::string::npos) return least == most && is_share(said, least, whole);
  return is_share(said.substr(0, to) + said.substr(of), least, whole) &&
         is_share(said.substr(to + kTo.size()), most, whole);
}

class GridCheck {
 public:
  GridCheck(Agreement& a, const Moment& moment) : a_(a), moment_(moment) {
    Canvas canvas;
    canvas.width = 2600;
    canvas.height = 1800;
    canvas.theme = light_theme();
    Selection selection;
    selection.time = moment.time;
    scene_ = layout_sharding_grid(a.told.input(), {}, selection, canvas);
  }

  void check() {
    std::set<std::pair<int32_t, int64_t>> seen;
    for (const AccessibleItem& item : scene_.accessible()) {
      if (item.id < 0) continue;
      const ItemId& id = scene_.ids()[static_cast<size_t>(item.id)];
      if (id.kind == ItemId::Kind::device) check_device(item, id.device);
      if (id.kind != ItemId::Kind::block) continue;
      seen.insert({id.lane, id.index});
      check_block(item, id.lane, id.index);
    }
    for (int32_t n = 0; n < std::ssize(a_.told.story->arrays()); ++n) {
      const StoryArray& array = a_.array(n);
      if (array.role.empty() || array.is_local() || array.counts.size() > 2) continue;
      for (int64_t b = 0; b < array.block_count(); ++b)
        if (!seen.contains({n, b})) complain("no block " + array.block_name(b));
    }
  }

 private:
  void complain(const std::string& what) { a_.complain(moment_.time, "grid: " + what); }

  void check_device(const AccessibleItem& item, int32_t device) {
    const std::string head = "device " + a_.told.place(device) + ", holds ";
    if (!item.name.starts_with(head)) return complain("not understood: " + item.name);
    const std::string said = item.name.substr(head.size());
    check_held_text(a_, moment_, device, said == "nothing" ? "" : said);
  }

  std::map<int32_t, Share> shares(int32_t number, int64_t block) const {
    std::map<int32_t, Share> out;
    const IndexBox box = a_.array(number).block_box(block);
    for (int32_t d = 0; d < std::ssize(moment_.held); ++d) {
      std::vector<IndexBox> some, whole;
      Share share;
      for (const HeldTerms& held : moment_.held[static_cast<size_t>(d)]) {
        if (held.array != number || elements_in(held.boxes, box) == 0) continue;
        some.insert(some.end(), held.boxes.begin(), held.boxes.end());
        if (held.complete) whole.insert(whole.end(), held.boxes.begin(), held.boxes.end());
        if (held.terms.empty()) continue;
        const int64_t terms = count_of(held.terms);
        share.least = share.least < 0 ? terms : std::min(share.least, terms);
        share.most = std::max(share.most, terms);
      }
      share.some = elements_in(some, box);
      share.whole = elements_in(whole, box);
      if (share.some > 0) out[d] = share;
    }
    return out;
  }

  void check_block(const AccessibleItem& item, int32_t number, int64_t block) {
    static const std::regex held(
        R"(^block (\S+) of (\S+), (?:held by (.*?)(?: and (\d+) more)?|not there yet|no longer held)$)");
    std::smatch m;
    if (!std::regex_match(item.name, m, held)) return complain("not understood: " + item.name);
    const StoryArray& array = a_.array(number);
    if (m[1] != array.block_name(block))
      complain(fmt::format("{} is {}", m[1].str(), array.block_name(block)));
    std::map<int32_t, Share> expected = shares(number, block);
    const std::vector<SaidShare> said = shares_of(m[3]);
    const int64_t more = m[4].matched ? std::stoll(m[4]) : 0;
    if (std::ssize(said) + more != std::ssize(expected))
      complain(fmt::format("'{}', held by {} devices", item.name, expected.size()));
    check_words(item, array, block, expected);
    for (const SaidShare& share : said) check_share(item.name, share, array, block, expected);
  }

  void check_share(const std::string& text, const SaidShare& said, const StoryArray& array, int64_t block,
                   const std::map<int32_t, Share>& expected) {
    const auto found = expected.find(device_of(a_, said.device));
    if (found == expected.end()) return complain(fmt::format("'{}': {} has none", text, said.device));
    const Share& share = found->second;
    const int64_t size = elements_of(array.block_box(block));
    const bool sum = share.whole < size && share.least >= 0 && share.least < array.terms;
    if (sum ? !is_range(said.terms, share.least, share.most, array.terms) : !said.terms.empty())
      complain(fmt::format("'{}': {} has {} to {} of {} terms", text, said.device, share.least, share.most,
                           array.terms));
    if (!sum && said.part != (share.some < size))
      complain(fmt::format("'{}': {} has {} of {} elements", text, said.device, share.some, size));
  }

  // The label: its name, how many devices have it whole (or some of it), and how far its sum is.
  void check_words(const AccessibleItem& item, const StoryArray& array, int64_t block,
                   const std::map<int32_t, Share>& expected) {
    const std::vector<const TextItem*> words = texts_in(scene_, item.rect);
    if (words.empty()) {
      if (item.rect.w > 40 && item.rect.h > 20) complain("no label on " + item.name);
      return;
    }
    int64_t whole = 0;
    for (const auto& [device, share] : expected) whole += share.whole == elements_of(array.block_box(block));
    const int64_t copies = whole > 0 ? whole : std::ssize(expected);
    const std::string name = array.block_name(block);
    const std::string& label = words[0]->text;
    static const std::string kTimes = " ×";
    const size_t times = label.find(kTimes);
    if (label != name && !label.starts_with(name + " ")) complain(label + " is " + name);
    if (times != std::string::npos && std::atoll(label.c_str() + times + kTimes.size()) != copies)
      complain(fmt::format("{}: {} devices hold it", label, copies));
    const bool note = words.size() > 1 || label.find(" ·") != std::string::npos || label.ends_with(" +");
    if (note != (whole == 0 && !expected.empty())) complain("of its sum: " + item.name + " as " + label);
    if (words.size() > 1) check_note(words[1]->text, array, expected);
  }

  void check_note(std::string note, const StoryArray& array, const std::map<int32_t, Share>& expected) {
    if (note == "+" || note == "in parts") return;
    if (const size_t at = note.find('/'); at != std::string::npos) note.replace(at, 1, " of ");
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (const auto& [device, share] : expected) {
      if (share.least < 0) continue;
      least = std::min(least, share.least);
      most = std::max(most, share.most);
    }
    if (!is_range(note, least, most, array.terms))
      complain(fmt::format("'{}' of {}: {} to {} of {} terms", note, array.name, least, most, array.terms));
  }

  Agreement& a_;
  const Moment& moment_;
  Scene scene_;
};

}  // namespace

void check_grid(Agreement& a, const Moment& moment) {
  GridCheck(a, moment).check();
}

}  // namespace shardscope::agree_test
