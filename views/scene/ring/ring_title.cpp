// SPDX-License-Identifier: Apache-2.0
// What the ring view says above its picture: the beat, what runs in it, and what else is under way.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "engine/base/say.h"
#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/held_now.h"
#include "views/scene/story/now.h"

namespace shardscope::inline views {
namespace {

std::string bytes_each(const std::vector<const Event*>& transfers) {
  const auto [least, most] = std::minmax_element(
      transfers.begin(), transfers.end(), [](const Event* a, const Event* b) { return a->bytes < b->bytes; });
  const std::string from = format_bytes(static_cast<double>((*least)->bytes));
  return (*least)->bytes == (*most)->bytes
             ? from + (transfers.size() > 1 ? said(" each") : "")
             : say("{} to {} each", from, format_bytes(static_cast<double>((*most)->bytes)));
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
  return axes.empty() ? out : out + said(" over ") + axes;
}

struct Words {
  std::vector<std::string> title, detail;  // longest first
};

// "X over col, W over row": which array is on its way, and along which axes.
std::string on_the_way(const RingContext& c) {
  std::vector<std::pair<std::string, std::string>> ways;  // array, axis
  for (const Travel& travel : c.travels) {
    if (travel.event < 0) continue;
    const int axis = c.input.trace.lanes()[static_cast<size_t>(travel.hop.lane)].axis;
    const Mesh& mesh = c.input.run.program.mesh;
    const std::string over =
        axis >= 0 && axis < mesh.rank() ? mesh.axes()[static_cast<size_t>(axis)].name : "";
    for (const Carried& carried : c.input.story->carried(travel.event)) {
      if (carried.what.array < 0) continue;
      const std::pair way{title_of(c.input.story->arrays()[static_cast<size_t>(carried.what.array)]), over};
      if (std::ranges::find(ways, way) == ways.end()) ways.push_back(way);
    }
  }
  std::string out;
  for (const auto& [array, axis] : ways)
    out += (out.empty() ? "" : ", ") + (axis.empty() ? array : say("{} along {}", array, axis));
  return out;
}

// Transfers under way that are not of the told beats: "; 4 more under way of collective-permute.3".
std::string others_under_way(const RingContext& c, const CurrentBeats& told) {
  std::vector<std::string> names;
  std::set<int32_t> counted;  // one may be on several links at once
  for (const Travel& travel : c.travels) {
    if (travel.arrived || travel.event < 0) continue;
    const int32_t beat = c.input.story->beat_of(travel.event);
    if ((beat >= told.first && beat <= told.last) || !counted.insert(travel.event).second) continue;
    const std::string name = instruction_name(c.input, travel.hop.instruction);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (counted.empty()) return "";
  return say("; {} more under way of {}{}", counted.size(), names.front(),
             names.size() > 1 ? fmt::format(" +{}", names.size() - 1) : "");
}

// What runs in beats: "all-reduce.1 over col, reduce-scatter half, 2 of 3 · dot.4".
std::string works_of(const RingContext& c, const CurrentBeats& told) {
  std::string out;
  for (int32_t beat = told.first; beat <= told.last; ++beat) {
    const std::string phase = phase_text(*c.input.story, beat);
    const Beat& of = c.input.story->beats()[static_cast<size_t>(beat)];
    out +=
        (out.empty() ? "" : " · ") + over_axes(c.input, of.instruction) + (phase.empty() ? "" : ", " + phase);
  }
  return out;
}

std::vector<std::string> details_of(const RingContext& c, const CurrentBeats& told, bool told_plainly) {
  const Story& story = *c.input.story;
  std::vector<const Event*> sent;
  size_t computing = 0;
  Picoseconds start = INT64_MAX;
  for (int32_t beat = told.first; beat <= told.last; ++beat) {
    const std::vector<int32_t> transfers = transfers_of(story, beat);
    for (const int32_t number : transfers)
      sent.push_back(&story.timeline().events[static_cast<size_t>(number)]);
    const Beat& of = story.beats()[static_cast<size_t>(beat)];
    computing += of.events.size() - transfers.size();
    start = std::min(start, of.start);
  }
  const std::string time = format_picoseconds(story.moment_of(told.last) - start);
  const std::string others = others_under_way(c, told);
  const std::string computes = computing > 0 ? counted(computing, "computation") : "";
  if (sent.empty()) return {fmt::format("{}, {}{}", computes, time, others), computes + others, time};
  const std::string size = bytes_each(sent);
  const std::string both = computes.empty() ? "" : ", " + computes;
  // Before a class: which array goes where, and how many instructions run beside it is of no use.
  if (told_plainly) {
    const std::string ways = on_the_way(c), all = (ways.empty() ? "" : ways + ": ") + size;
    return {fmt::format("{}{}, {}", all, both, time), fmt::format("{}, {}", all, time), all, ways, size};
  }
  return {fmt::format("{}, {}{}, {}{}", counted(sent.size(), "transfer"), size, both, time, others),
          fmt::format("{}, {}{}", size, time, others), fmt::format("{}, {}", size, time), size};
}

Words words_of(const RingContext& c, bool told_plainly) {
  if (c.input.telling) return {{why_untold(c.input)}, {""}};
  if (c.input.story == nullptr)
    return {{said("what travels is not known")},
            {said("this run is too large, or its program cannot be followed")}};
  const Story& story = *c.input.story;
  if (story.beats().size() < 2)
    return {{said("no steps")}, {said("this program sends nothing"), said("nothing is sent")}};
  const CurrentBeats told = current_beats(story, c.selection);
  const std::string clock = beat_name(story, told.first, told.last);
  if (told.last <= 0)
    return {{clock + said(": the inputs as placed"), clock},
            {said("nothing is computed, nothing has travelled"), said("nothing has travelled")}};
  const std::string named = name_of(story, told);
  if (told_plainly) return {{named}, details_of(c, told, true)};
  const std::string first = works_of(c, {told.first, told.first, false});
  const std::string more =
      told.last > told.first ? fmt::format(" +{}", told.last - told.first) : std::string();
  return {{named + " · " + works_of(c, told), named + " · " + first + more, named},
          details_of(c, told, false)};
}

// The longest title that leaves room for a detail.
void draw_one_line(Pen& pen, const Words& words, const Rect& area) {
  const float y = area.y + pen.px(8), gap = pen.px(14);
  for (const std::string& title : words.title) {
    const float used = pen.width(title, 1, Face::bold) + gap;
    const std::string detail = pen.fitting(words.detail, area.w - used);
    if (used > area.w || (detail.empty() && title != words.title.back())) continue;
    pen.text({area.x, y}, title, {pen.theme.text, 1, Align::left, Face::bold});
    pen.text({area.x + used, y}, detail, {pen.theme.muted_text, 1, Align::left});
    return;
  }
}

}  // namespace

void draw_ring_title(Pen& pen, const RingContext& c, const Rect& area) {
  const Words words = words_of(c, pen.theme.presented());
  pen.accessible({area.x, area.y, area.w, pen.px(38)}, -1, words.title.front() + "; " + words.detail.front());
  if (pen.theme.presented() && pen.canvas.width >= pen.px(kWideTitle)) return draw_one_line(pen, words, area);
  pen.text({area.x, area.y + pen.px(10)}, pen.fitting(words.title, area.w, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.text({area.x, area.y + pen.px(28)}, pen.fitting(words.detail, area.w),
           {pen.theme.muted_text, 1, Align::left});
}

}  // namespace shardscope::inline views
