// SPDX-License-Identifier: Apache-2.0
// What comes of a play: whether its links were its own, to whom it is told, and which classes that splits.
#include <algorithm>

#include "engine/plan/to_index.h"
#include "engine/schedule/parts/class_play.h"

namespace shardscope::inline scheduler {

namespace {

// Whether two plays of a section use one of its links at the same time; `b` counts from `later` after `a`.
bool meet(const SectionPlay& a, const SectionPlay& b, Picoseconds later, size_t lanes) {
  const auto at = [&](const SectionPlay& play, size_t lane) -> const TimeRange& {
    return play.lanes[play.places == 1 ? lane % lanes : lane];
  };
  for (size_t l = 0; l < std::max(a.lanes.size(), b.lanes.size()); ++l) {
    const TimeRange &in_a = at(a, l), &in_b = at(b, l);
    if (in_a.start == PlayWatch::kNever || in_b.start == PlayWatch::kNever) continue;
    if (in_a.start < in_b.end + later && in_b.start + later < in_a.end) return true;
  }
  return false;
}

}  // namespace

// Adds the use of a section's links by a play, if none other uses one of them meanwhile.
bool ClassPlay::admit(const SectionPlayer::Request& asked, const SectionPlay& play, Picoseconds base) {
  if (play.events == 0) return true;
  const Sections& sections = player_.sections_at(asked.sections);
  const bool line = sections.axes().size() == 1;
  constexpr size_t kLanesOfLine = 4;  // compute, up, down, copy
  for (const int axis : sections.axes()) {
    const Sections& lines = player_.sections_at(line_sections_[to_index(axis)]);
    for (int32_t p = 0; p < sections.size(); ++p) {
      const int32_t device = sections.device(asked.section, p);
      if (lines.place_of(device) > 0) continue;
      std::vector<Use>& uses = uses_[to_index(axis)][to_index(lines.section_of(device))];
      Use use{base + play.used.start, base + play.used.end, base + play.used.end, line ? &play : nullptr,
              base};
      for (size_t i = uses.size(); i-- > 0 && uses[i].latest_end > use.begin;) {
        const Use& other = uses[i];
        if (other.end <= use.begin || use.end <= other.begin) continue;
        if (use.play == nullptr || other.play == nullptr) return false;
        if (meet(*other.play, *use.play, use.base - other.base, kLanesOfLine)) return false;
      }
      if (!uses.empty()) use.latest_end = std::max(use.latest_end, uses.back().latest_end);
      uses.push_back(use);
      if (line) break;
    }
  }
  return true;
}

// What a collective came to in these sections.
bool ClassPlay::deliver(int32_t work, const std::vector<Delivery>& deliveries) {
  const Sections& sections = player_.sections_at(collectives_[to_index(work)].placing->sections);
  Numbered<Arrival> arrivals;
  std::vector<int32_t> touched;  // classes
  std::vector<bool> is_touched(classes_.size());
  for (const Delivery& it : deliveries) {
    int32_t number = -1;
    for (int32_t p = 0; p < sections.size(); ++p) {
      const int32_t d = sections.device(it.section, p);
      const Arrival arrival{it.play->outcome(it.at, p), it.base};
      if (number < 0 || arrival != arrivals[number]) number = arrivals.number(arrival);
      arrival_of_[to_index(d)] = number;
      const int32_t c = class_of_[to_index(d)];
      if (!is_touched[to_index(c)]) touched.push_back(c);
      is_touched[to_index(c)] = true;
    }
  }
  std::vector<int32_t> parts;
  for (const int32_t c : touched) {
    split(c, parts);
    for (const int32_t part : parts) {
      const int32_t number = arrival_of_[to_index(classes_[to_index(part)].devices.front())];
      if (number >= 0 && !give(work, part, arrivals[number])) return false;
    }
  }
  for (const Delivery& it : deliveries)
    for (int32_t p = 0; p < sections.size(); ++p) arrival_of_[to_index(sections.device(it.section, p))] = -1;
  return true;
}

// A class into those whose devices get the same; the largest stays what it is.
void ClassPlay::split(int32_t of, std::vector<int32_t>& parts) {
  parts = {of};
  const std::vector<int32_t>& all = classes_[to_index(of)].devices;
  const auto gets = [&](int32_t device) { return arrival_of_[to_index(device)]; };
  if (std::ranges::all_of(all, [&](int32_t device) { return gets(device) == gets(all[0]); })) return;
  std::map<int32_t, std::vector<int32_t>> by_arrival;
  for (const int32_t device : all) by_arrival[gets(device)].push_back(device);
  auto stays = by_arrival.begin();
  for (auto it = by_arrival.begin(); it != by_arrival.end(); ++it)
    if (it->second.size() > stays->second.size()) stays = it;
  classes_[to_index(of)].devices = std::move(stays->second);
  by_arrival.erase(stays);
  for (auto& [arrival, devices] : by_arrival) {
    const auto number = static_cast<int32_t>(classes_.size());
    DeviceClass part = classes_[to_index(of)];
    part.devices = std::move(devices);
    for (const int32_t device : part.devices) class_of_[to_index(device)] = number;
    classes_.push_back(std::move(part));
    parts.push_back(number);
    put_in_calendar(number);
  }
}

bool ClassPlay::give(int32_t work, int32_t to, const Arrival& arrival) {
  const Outcome& outcome = player_.outcome(arrival.outcome);
  // A lane has chosen that it would have been there for.
  if (outcome.end.time + arrival.base.time <= now_) return false;
  ++done_;
  DeviceClass& it = classes_[to_index(to)];
  it.receive(work, outcome, arrival.base);
  for (const TimeRange& span : player_.busy(outcome.busy))
    it.communicates({span.start + arrival.base.time, span.end + arrival.base.time});
  take_follows(to);
  return true;
}

}  // namespace shardscope::inline scheduler
