// SPDX-License-Identifier: Apache-2.0
// What the ring view says above its picture: the beat, what runs in it, and what else is under way.
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

std::string bytes_each(const std::vector<const Event*>& transfers) {
  const auto [least, most] = std::minmax_element(
      transfers.begin(), transfers.end(), [](const Event* a, const Event* b) { return a->bytes < b->bytes; });
  const std::string from = format_bytes(static_cast<double>((*least)->bytes));
  return (*least)->bytes == (*most)->bytes
             ? from + (transfers.size() > 1 ? " each" : "")
             : fmt::format("{} to {} each", from, format_bytes(static_cast<double>((*most)->bytes)));
}

std::string number_of(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "all-reduce.1 over col", without the axes of what is no collective.
std::string over_axes(const ViewInput& input, int32_t instruction) {
  std::string out = instruction_name(input, instruction);
  const Instruction* found = find_instruction(input.run.program, instruction);
  std::string axes;
  if (found != nullptr) {
    for (const std::string& axis : collective_axes(input.run.program, *found))
      axes += (axes.empty() ? "" : ",") + axis;
  }
  return axes.empty() ? out : out + " over " + axes;
}

struct Words {
  std::vector<std::string> title, detail;  // longest first
};

// Transfers under way that are not of the shown beat: "; 4 more under way of collective-permute.3".
std::string others_under_way(const RingContext& c, int32_t beat) {
  std::vector<std::string> names;
  size_t count = 0;
  for (const Travel& travel : c.travels) {
    if (travel.arrived || travel.event < 0 || travel.hop.relayed) continue;
    if (c.input.story->beat_of(travel.event) == beat) continue;
    ++count;
    const std::string name = instruction_name(c.input, travel.hop.instruction);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (count == 0) return "";
  return fmt::format("; {} more under way of {}{}", count, names.front(),
                     names.size() > 1 ? fmt::format(" +{}", names.size() - 1) : "");
}

Words words_of(const RingContext& c) {
  if (c.input.story == nullptr)
    return {{"what travels cannot be told"}, {"this run is too big, or its program cannot be followed"}};
  const Story& story = *c.input.story;
  if (story.beats().size() < 2) return {{"no beats"}, {"this program sends nothing", "nothing is sent"}};
  const int32_t beat = beat_shown(story, c.selection.time);
  const Beat& now = story.beats()[static_cast<size_t>(beat)];
  const int32_t ended = story.beat_at(c.selection.time);
  const std::string clock = beat_name(story, ended);
  if (beat == 0)
    return {{clock + " · before: the inputs as placed", clock},
            {"nothing is computed, nothing has travelled", "nothing has travelled"}};
  const std::string phase = phase_text(story, beat);
  const std::string what = over_axes(c.input, now.instruction);
  const std::string moving = ended == beat ? "" : "under way: ";
  Words out;
  out.title = {fmt::format("{} · {}{}{}", clock, moving, what, phase.empty() ? "" : ", " + phase),
               fmt::format("{} · {}", clock, phase.empty() ? what : phase), clock};
  std::vector<const Event*> sent;
  for (const int32_t number : transfers_of(story, beat))
    sent.push_back(&story.timeline().events[static_cast<size_t>(number)]);
  const std::string time = format_picoseconds(now.end - now.start);
  const std::string others = others_under_way(c, beat);
  if (sent.empty()) {
    const size_t devices = now.events.size();
    out.detail = {fmt::format("{} compute, {}{}", number_of(devices, "device"), time, others),
                  number_of(devices, "device") + " compute" + others, time};
  } else {
    const std::string size = bytes_each(sent);
    out.detail = {fmt::format("{}, {}, {}{}", number_of(sent.size(), "transfer"), size, time, others),
                  fmt::format("{}, {}{}", size, time, others), fmt::format("{}, {}", size, time), size};
  }
  return out;
}

}  // namespace

void draw_ring_title(Pen& pen, const RingContext& c, const Rect& area) {
  const Words words = words_of(c);
  pen.text({area.x, area.y + pen.px(10)}, pen.fitting(words.title, area.w, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.text({area.x, area.y + pen.px(28)}, pen.fitting(words.detail, area.w),
           {pen.theme.muted_text, 1, Align::left});
  pen.accessible({area.x, area.y, area.w, pen.px(38)}, -1, words.title.front() + "; " + words.detail.front());
}

}  // namespace shardscope
