// SPDX-License-Identifier: Apache-2.0
// The ring, its chips and boxes, and the table beside it.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <regex>

#include "tests/views/agree/checks.h"

namespace shardscope::agree_test {
namespace {

// A canvas on which every device of the runs has a column in the table and room for words.
Canvas ring_canvas(const RunWithStory& told) {
  Canvas canvas;
  canvas.width = std::max(2600.0F, (200 + 62 * static_cast<float>(told.run->timeline.devices)) / 0.42F);
  canvas.height = told.run->timeline.devices > 16 ? 1800 : 1200;
  canvas.theme = light_theme();
  return canvas;
}

// What is said of a chip: "a3.1/2 (0,0) → (0,1), 1.0 MiB, 2 of 4, to be added, arrived".
struct SaidChip {
  std::string name, source, target;
  bool adds = false, arrived = false;
  Rect rect;
};

std::optional<SaidChip> chip_of(const AccessibleItem& item) {
  static const std::regex chip(
      R"(^(.*) (\([0-9,]*\)|device 0) → (\([0-9,]*\)|device 0), ([^,]*B)(, \d+ of \d+( terms)?)?(, to be added)?, (arrived(?: at [^,]*)?|waits for its next link|[^,]* of the way)$)");
  std::smatch m;
  if (!std::regex_match(item.name, m, chip)) return std::nullopt;
  return SaidChip{m[1], m[2], m[3], m[7].matched, m[8].str().starts_with("arrived"), item.rect};
}

class RingCheck {
 public:
  RingCheck(Agreement& a, const Moment& moment) : a_(a), moment_(moment) {
    Selection selection;
    selection.time = moment.time;
    scene_ = layout_ring(a.told.input(), {}, selection, ring_canvas(a.told));
    for (const AccessibleItem& item : scene_.accessible()) read(item);
  }

  void check() {
    check_boxes();
    check_chips(travelling(a_, moment_), false);
    check_chips(arrived(a_, moment_), true);
    check_labels();
    check_title();
    check_links();
    check_table();
  }

 private:
  void complain(const std::string& what) { a_.complain(moment_.time, "ring: " + what); }

  void read(const AccessibleItem& item) {
    const ItemId::Kind kind =
        item.id >= 0 ? scene_.ids()[static_cast<size_t>(item.id)].kind : ItemId::Kind::none;
    if (kind == ItemId::Kind::chunk) {
      if (auto chip = chip_of(item))
        chips_.push_back(*chip);
      else
        complain("not understood: " + item.name);
    }
    if (kind == ItemId::Kind::device) boxes_.push_back(&item);
    if (kind == ItemId::Kind::step) rows_.push_back(&item);
    if (kind == ItemId::Kind::link) links_.push_back(&item);
    if (item.name.starts_with("step") || item.name.starts_with("before the ")) {
      if (kind == ItemId::Kind::none) title_ = item.name;
    }
  }

  void check_boxes() {
    if (std::ssize(boxes_) != a_.told.run->timeline.devices) complain("devices are missing");
    for (const AccessibleItem* box : boxes_) {
      const int32_t device = scene_.ids()[static_cast<size_t>(box->id)].device;
      const std::string head = "device " + a_.told.place(device);
      if (!box->name.starts_with(head)) complain(box->name + " is " + head);
      const std::string said =
          box->name.size() > head.size() + 8 ? box->name.substr(head.size() + 8) : std::string();
      check_held_text(a_, moment_, device, said);
      check_box_words(*box, said, a_.told.place(device));
    }
  }

  void check_box_words(const AccessibleItem& box, const std::string& said, const std::string& name) {
    const std::vector<const TextItem*> words = texts_in(scene_, box.rect);
    if (words.empty() || words[0]->text != name) return complain("a box without its name: " + name);
    const auto groups = said_groups(a_.names, said);
    if (!groups) return;
    std::string shown;
    for (size_t i = 1; i < words.size(); ++i) shown += (i > 1 ? " " : "") + words[i]->text;
    if (shown != said && shown != first_of(*groups, shown))
      complain(fmt::format("in the box of {}: '{}' of '{}'", name, shown, said));
  }

  // What stands in a box that has not room for all: the first names, how far their sums are, and how many
  // more there are.
  static std::string first_of(const std::vector<SaidGroup>& groups, const std::string& shown) {
    const size_t plus = shown.rfind('+');
    size_t all = 0;
    for (const SaidGroup& group : groups) all += group.tokens.size();
    const auto more =
        plus == std::string::npos ? 0 : static_cast<size_t>(std::atoll(shown.c_str() + plus + 1));
    if (more == 0 || more > all) return "no sign of what is left out";
    size_t left = all - more;
    std::string out;
    for (const SaidGroup& group : groups) {
      if (left == 0) break;
      out += out.empty() ? "" : ", ";
      for (size_t i = 0; i < group.tokens.size() && left > 0; ++i, --left)
        out += (i > 0 ? " " : "") + group.tokens[i];
      if (!group.terms.empty()) out += " (" + group.terms + ")";
    }
    return out + (out.empty() ? "+" : " +") + std::to_string(more);
  }

  void check_chips(std::vector<const MovedBlocks*> expected, bool arrived) {
    // A transfer over several links may be seen on several of them.
    std::vector<bool> shown(expected.size(), false);
    for (const SaidChip& chip : chips_) {
      if (chip.arrived != arrived) continue;
      bool known = false;
      for (size_t i = 0; i < expected.size(); ++i) {
        const MovedBlocks& moved = *expected[i];
        if (chip.source != a_.told.place(moved.source) || chip.target != a_.told.place(moved.target) ||
            !names_it(a_, chip.name, moved) || chip.adds != moved.adds)
          continue;
        shown[i] = known = true;
      }
      if (!known)
        complain(fmt::format("a chip of what is not {}: {} {} → {}", arrived ? "arriving" : "under way",
                             chip.name, chip.source, chip.target));
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      if (shown[i]) continue;
      complain(fmt::format("no chip of what {} of {}: {} → {}", arrived ? "arrives" : "is under way",
                           expected[i]->instruction, a_.told.place(expected[i]->source),
                           a_.told.place(expected[i]->target)));
    }
  }

  // On a chip stand the names of all that it is, or some and how many more.
  void check_labels() {
    std::map<std::tuple<float, float>, std::vector<const SaidChip*>> at;
    for (const SaidChip& chip : chips_) at[{chip.rect.x, chip.rect.y}].push_back(&chip);
    for (const auto& [place, chips] : at) {
      std::vector<std::string> full, small;
      for (const SaidChip* chip : chips) {
        const std::vector<std::string> words = words_of(chip->name);
        const bool several = a_.names.of_text(chip->name).size() > 1;
        if (!several) {
          full.push_back(chip->name);
        } else {
          full.insert(full.end(), words.begin(), words.end());
        }
      }
      for (std::string name : full) small.push_back(name.substr(0, name.find('/')));
      const std::vector<const TextItem*> words = texts_in(scene_, chips[0]->rect);
      const std::string label = words.empty() ? "" : words.back()->text;
      const std::string wrong = wrong_page(label, full);
      if (label.empty() || (!wrong.empty() && !wrong_page(label, small).empty()))
        complain("on a chip: " + wrong);
    }
  }

  void check_title() {
    const std::string beat = beat_words(moment_, a_.told.json["beats"].size());
    if (!title_.starts_with(beat)) complain(fmt::format("'{}' is {}", title_, beat));
    int64_t sent = 0;
    for (const MovedBlocks& moved : a_.moved)
      sent += moved.beat >= moment_.first_beat && moved.beat <= moment_.last_beat;
    static const std::regex transfers(R"((\d+) transfers?,)");
    static const std::regex others(R"((\d+) more under way of)");
    std::smatch m;
    const int64_t said = std::regex_search(title_, m, transfers) ? std::stoll(m[1]) : 0;
    if (said != sent) complain(fmt::format("'{}' has {} transfers", title_, sent));
    int64_t more = 0;
    for (const MovedBlocks* moved : travelling(a_, moment_))
      more += moved->beat < moment_.first_beat || moved->beat > moment_.last_beat;
    const int64_t told = std::regex_search(title_, m, others) ? std::stoll(m[1]) : 0;
    if (told != more) complain(fmt::format("'{}' has {} others under way", title_, more));
  }

  // What is on a link: all hops over it of what travels or has just arrived.
  void check_links() {
    std::map<std::string, int64_t> bytes;
    const std::vector<Event>& events = a_.told.events();
    for (int32_t e = 0; e < std::ssize(events); ++e) {
      const Event& hop = events[static_cast<size_t>(e)];
      if (hop.kind != EventKind::transfer) continue;
      const int32_t beat = a_.told.story->beat_of(e);
      const bool here = !moment_.under_way && beat >= moment_.first_beat && beat <= moment_.last_beat;
      const bool leaves = hop.start == moment_.time && moment_.under_way;
      const bool moves = (leaves || hop.start < moment_.time) && moment_.time < hop.end;
      if (here || moves)
        bytes[a_.told.place(hop.device) + a_.told.trace->lanes()[static_cast<size_t>(hop.lane)].name] +=
            hop.bytes;
    }
    static const std::regex link(R"(^link (\([0-9,]*\)) → (\([0-9,]*\)), (.*), ([^,]*B)$)");
    std::map<std::string, std::vector<std::string>> said;
    for (const AccessibleItem* item : links_) {
      std::smatch m;
      if (std::regex_match(item->name, m, link)) said[m[1].str() + m[3].str()].push_back(m[4]);
    }
    for (const auto& [place, sum] : bytes) {
      const std::string expected = format_bytes(static_cast<double>(sum));
      // A port leads to many: one line for each target.
      if (!said.contains(place) || (said[place].size() == 1 && said[place][0] != expected))
        complain(fmt::format("link {} carries {}", place, expected));
    }
    for (const auto& [place, loads] : said)
      if (!bytes.contains(place)) complain("nothing is on link " + place);
  }

  void check_table() {
    std::map<std::string, float> columns;
    for (const TextItem& text : scene_.texts())
      if (!rows_.empty() && device_of(a_, text.text) >= 0 && text.at.x > rows_[0]->rect.x &&
          text.at.y < rows_[0]->rect.y + 1)
        columns[text.text] = text.at.x;
    if (!rows_.empty() && std::ssize(columns) != a_.told.run->timeline.devices)
      complain("the table has not all columns");
    for (const AccessibleItem* row : rows_) {
      const int32_t beat = scene_.ids()[static_cast<size_t>(row->id)].index;
      check_row(*row, beat);
      for (const auto& [place, x] : columns) check_cell(*row, beat, place, x);
    }
  }

  void check_row(const AccessibleItem& row, int32_t beat) {
    static const std::regex move(R"(; (.*?) (\([0-9,]*\)|device 0) → (\([0-9,]*\)|device 0)(?=; |$))");
    std::vector<const MovedBlocks*> left;
    for (const MovedBlocks& moved : a_.moved)
      if (moved.beat == beat) left.push_back(&moved);
    for (std::sregex_iterator at(row.name.begin(), row.name.end(), move), end; at != end; ++at) {
      const auto found = std::find_if(left.begin(), left.end(), [&](const MovedBlocks* moved) {
        return (*at)[2] == a_.told.place(moved->source) && (*at)[3] == a_.told.place(moved->target) &&
               names_it(a_, (*at)[1], *moved);
      });
      if (found == left.end())
        complain(fmt::format("the table's beat {} says {}", beat, at->str()));
      else
        left.erase(found);
    }
    if (!left.empty())
      complain(fmt::format("the table's beat {} leaves out {} transfers: {}", beat, left.size(), row.name));
  }

  void check_cell(const AccessibleItem& row, int32_t beat, const std::string& place, float x) {
    std::vector<std::string> full, small;
    for (const int32_t e : a_.told.story->beats()[static_cast<size_t>(beat)].events) {
      const Event& event = a_.told.events()[static_cast<size_t>(e)];
      if (event.kind != EventKind::transfer || a_.told.place(event.device) != place) continue;
      const std::string name = name_of_transfer(*a_.told.story, e);
      const bool several = a_.names.of_text(name).size() > 1;
      const std::vector<std::string> words = several ? words_of(name) : std::vector<std::string>{name};
      full.insert(full.end(), words.begin(), words.end());
    }
    if (full.empty()) return;
    for (const std::string& name : full) small.push_back(name.substr(0, name.find('/')));
    std::string label;
    for (const TextItem& text : scene_.texts())
      if (inside(text.at, row.rect) && std::abs(text.at.x - x) < 1) label = text.text;
    label = label.substr(0, label.find(" →"));
    const std::string wrong = wrong_page(label, full);
    if (label.empty() || (!wrong.empty() && !wrong_page(label, small).empty()))
      complain(fmt::format("the table's step {} of {}: {}", beat, place, wrong));
  }

  Agreement& a_;
  const Moment& moment_;
  Scene scene_;
  std::vector<SaidChip> chips_;
  std::vector<const AccessibleItem*> boxes_, rows_, links_;
  std::string title_;
};

}  // namespace

void check_ring(Agreement& a, const Moment& moment) {
  if (a.told.run->timeline.devices < 2) return;
  RingCheck(a, moment).check();
}

}  // namespace shardscope::agree_test
