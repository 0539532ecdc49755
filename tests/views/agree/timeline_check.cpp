// SPDX-License-Identifier: Apache-2.0
// The timeline: what its events are called, and the line of the moment.
#include <fmt/format.h>
#include <regex>

#include "tests/views/agree/checks.h"
#include "views/scene/story/now.h"

namespace shardscope::agree_test {
namespace {

Canvas timeline_canvas() {
  Canvas canvas;
  canvas.width = 3000;
  canvas.height = 3000;
  canvas.theme = light_theme();
  return canvas;
}

// The transfer that an event is of, from the JSON.
const MovedBlocks* moved_of(const Agreement& a, int32_t event) {
  const int32_t transfer = a.told.story->transfer_of(event);
  const Event& e = a.told.events()[static_cast<size_t>(transfer)];
  const std::string& instruction = a.told.run->program.by_global_index(e.instruction).name;
  for (const MovedBlocks& moved : a.moved)
    if (moved.source == e.device && moved.target == e.peer && moved.start == e.start &&
        moved.end == a.told.story->arrival(transfer) && moved.instruction == instruction)
      return &moved;
  return nullptr;
}

// "device (0,1), col+, all-gather.3, step 4: a3 → (0,2), 2.0 MiB, 46.6 µs".
void check_event_name(Agreement& a, int32_t event, const std::string& said, const std::string& where) {
  const auto complain = [&](const std::string& what) { a.complain(0, where + ": '" + said + "': " + what); };
  static const std::regex name(
      R"(^device (\([0-9,]*\)|device 0), ([^,]*), ([^,:]*)(?:, step (\d+))?(?:: (.*) → (\([0-9,]*\)|device 0), ([^,]*))?, ([^,]*)$)");
  const Event& e = a.told.events()[static_cast<size_t>(event)];
  std::smatch m;
  if (!std::regex_match(said, m, name)) return complain("not understood");
  if (m[1] != a.told.place(e.device)) complain("device " + a.told.place(e.device));
  if (m[3] != a.told.run->program.by_global_index(e.instruction).name) complain("another instruction");
  if (m[8] != format_picoseconds(e.end - e.start)) complain("another time");
  if (e.kind != EventKind::transfer) {
    if (m[5].matched) complain("it is not a transfer");
    return;
  }
  const MovedBlocks* moved = moved_of(a, event);
  if (moved == nullptr) return complain("the story's JSON has no such transfer");
  if (!m[5].matched || !names_it(a, m[5], *moved)) complain("it carries something else");
  if (m[6] != a.told.place(moved->target)) complain("to " + a.told.place(moved->target));
  if (m[7] != format_bytes(static_cast<double>(moved->bytes))) complain("another size");
  if (!m[4].matched || std::stoll(m[4]) != moved->beat) complain(fmt::format("beat {}", moved->beat));
}

}  // namespace

void check_timeline(Agreement& a) {
  TimelineViewport viewport;
  viewport.collapse_equal = false;
  const Scene scene = layout_timeline(a.told.input(), viewport, {}, timeline_canvas());
  int64_t events = 0;
  for (const AccessibleItem& item : scene.accessible()) {
    if (item.id < 0) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(item.id)];
    if (id.kind != ItemId::Kind::event) continue;
    ++events;
    check_event_name(a, id.event, item.name, "timeline");
    const std::vector<const TextItem*> words = texts_in(scene, item.rect);
    if (words.empty()) continue;
    const Event& e = a.told.events()[static_cast<size_t>(id.event)];
    const MovedBlocks* moved = e.kind == EventKind::transfer ? moved_of(a, id.event) : nullptr;
    const std::string& label = words[0]->text;
    const bool right = moved != nullptr ? names_it(a, label, *moved)
                                        : label == a.told.run->program.by_global_index(e.instruction).name;
    if (!right) a.complain(e.start, fmt::format("timeline: '{}' on {}", label, item.name));
  }
  if (events == 0 && !a.told.events().empty()) a.complain(0, "timeline: no events");
}

void check_playhead(Agreement& a, const Moment& moment) {
  Selection selection;
  selection.time = moment.time;
  Canvas canvas = timeline_canvas();
  canvas.width = 900;
  canvas.height = 200;
  const Scene scene = layout_timeline(a.told.input(), {}, selection, canvas);
  std::string now;
  for (const AccessibleItem& item : scene.accessible())
    if (item.name.starts_with("now ")) now = item.name;
  const std::string beat = beat_words(moment, a.told.json["beats"].size());
  const std::string head = fmt::format("now {}; {}", format_picoseconds(moment.time),
                                       sentence_head(moment, a.told.json["beats"].size()));
  if (!now.starts_with(head)) a.complain(moment.time, fmt::format("timeline: '{}' is '{}'", now, head));
  const std::string clock = clock_text(a.told.input(), selection);
  const std::string told =
      fmt::format("{}{} · {}", beat, moment.under_way ? ", under way" : "", format_picoseconds(moment.time));
  if (clock != told) a.complain(moment.time, fmt::format("clock: '{}' is '{}'", clock, told));
}

// Of every transfer: its name, and each thing that it carries in words.
void check_tooltips(Agreement& a) {
  static const std::regex carried(R"(^(?:part (\d+) of (\d+) of )?(\S+)(?: = .*)?$)");
  for (int32_t e = 0; e < std::ssize(a.told.events()) && !a.complaints.enough(); ++e) {
    ItemId item;
    item.kind = ItemId::Kind::event;
    item.event = e;
    const std::vector<std::string> lines = describe(a.told.input(), item, 0);
    if (lines.size() < 2) return a.complain(0, "tooltip: nothing of an event");
    check_event_name(a, e, lines[0], "tooltip");
    const MovedBlocks* moved =
        a.told.events()[static_cast<size_t>(e)].kind == EventKind::transfer ? moved_of(a, e) : nullptr;
    if (moved == nullptr || !moved->unknown.empty()) continue;
    std::vector<NamedPart> said;
    bool adds = false;
    int64_t more = 0;
    for (size_t i = 2; i < lines.size() && lines[i].find(" = ") != 0; ++i) {
      std::smatch m;
      if (lines[i].starts_with("and ")) more = std::atoll(lines[i].c_str() + 4);
      adds = adds || lines[i].find("the target adds it") != std::string::npos;
      const std::string words = lines[i].substr(0, lines[i].find(": "));
      if (!std::regex_match(words, m, carried)) continue;
      std::vector<NamedPart> part = a.names.of_token(m[3]);
      if (part.size() != 1) continue;
      if (m[1].matched) part[0].part = std::stoi(m[1]), part[0].parts = std::stoi(m[2]);
      said.push_back(part[0]);
    }
    std::sort(said.begin(), said.end());
    const bool right =
        more > 0 ? std::ssize(said) + more == std::ssize(moved->blocks) &&
                       std::includes(moved->blocks.begin(), moved->blocks.end(), said.begin(), said.end())
                 : said == moved->blocks;
    if (!right || adds != moved->adds) a.complain(moved->start, "tooltip: another load: " + lines[0]);
  }
}

void check_tooltips_now(Agreement& a, const Moment& moment) {
  for (int32_t d = 0; d < a.told.run->timeline.devices; ++d) {
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = d;
    const std::vector<std::string> lines = describe(a.told.input(), item, moment.time);
    if (lines.size() < 2 || lines[0] != "device " + a.told.place(d) || !lines[1].starts_with("holds "))
      return a.complain(moment.time, "tooltip: of a device");
    check_held_text(a, moment, d, lines[1] == "holds nothing yet" ? "" : lines[1].substr(6));
  }
}

}  // namespace shardscope::agree_test
