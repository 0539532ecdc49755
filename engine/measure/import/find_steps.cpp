// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/find_steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

namespace shardscope::inline measure {
namespace {

constexpr double kNearlyAll = 0.98;

struct Work {
  const std::vector<ProfiledOperation>& operations;
  const std::vector<MeasuredEvent>& events;
};

bool is_apart(const std::vector<TimeRange>& ranges) {
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].start < ranges[i - 1].end) return false;
  return true;
}

// The share of the devices' time that lies in one range each, from the first one's start.
double share_within(const Work& work, const std::vector<TimeRange>& ranges) {
  Picoseconds all = 0, within = 0;
  for (const MeasuredEvent& e : work.events) {
    if (e.end <= ranges.front().start) continue;
    all += e.duration();
    const auto after = std::ranges::upper_bound(ranges, e.start, {}, &TimeRange::start);
    if (after != ranges.begin() && e.end <= (after - 1)->end) within += e.duration();
  }
  return all > 0 ? static_cast<double>(within) / static_cast<double>(all) : 0;
}

// The marks that lie round the most time: steps, not what is marked within them.
std::vector<TimeRange> outermost(const std::map<std::string, std::vector<TimeRange>>& marks) {
  std::vector<TimeRange> best;
  Picoseconds longest = -1;
  for (const auto& [name, ranges] : marks) {
    std::vector<TimeRange> sorted = ranges;
    std::ranges::sort(sorted);
    Picoseconds length = 0;
    for (const TimeRange& range : sorted) length += range.length();
    if (!is_apart(sorted) || length <= longest) continue;
    longest = length;
    best = std::move(sorted);
  }
  return best;
}

using Starts = std::vector<Picoseconds>;

// The work of the module that the devices are busiest with, on the first of its devices.
struct MainModule {
  int16_t device = 0;
  std::vector<size_t> events;
};

MainModule main_module(const Work& work) {
  std::map<std::pair<std::string, int64_t>, Picoseconds> times;
  const auto key_of = [&](const MeasuredEvent& e) {
    const ProfiledOperation& o = work.operations[static_cast<size_t>(e.operation)];
    return std::pair(o.module, o.program);
  };
  for (const MeasuredEvent& e : work.events) times[key_of(e)] += e.duration();
  const auto main = std::ranges::max_element(times, {}, [](const auto& each) { return each.second; });
  MainModule out;
  bool known = false;
  for (size_t e = 0; e < work.events.size(); ++e) {
    const MeasuredEvent& event = work.events[e];
    if (key_of(event) != main->first || (known && event.device != out.device)) continue;
    out.device = event.device;
    known = true;
    out.events.push_back(e);
  }
  return out;
}

// A step begins where an instruction comes again that comes once in each: of those that come so often one
// that comes first. Most instructions have to come a whole number of times as often.
std::optional<Starts> recurring(const Work& work, const MainModule& main, std::optional<size_t> wanted) {
  std::map<std::string_view, Starts> by_op;
  std::vector<std::string_view> order;
  for (const size_t e : main.events) {
    const ProfiledOperation& o = work.operations[static_cast<size_t>(work.events[e].operation)];
    if (o.part) continue;
    Starts& starts = by_op[o.op];
    if (starts.empty()) order.push_back(o.op);
    starts.push_back(work.events[e].start);
  }
  std::map<size_t, int64_t> counts;  // how many instructions come so often
  for (const auto& [op, starts] : by_op) ++counts[starts.size()];
  size_t steps = wanted.value_or(0);
  if (!wanted)
    for (const auto& [often, instructions] : counts) {
      int64_t fitting = 0;
      for (const auto& [other, n] : counts) fitting += other % often == 0 ? n : 0;
      if (often > steps && fitting * 10 >= std::ssize(by_op) * 9) steps = often;
    }
  if (steps < 1) return std::nullopt;
  for (const std::string_view op : order)
    if (const Starts& starts = by_op[op]; starts.size() % steps == 0) {
      Starts out;
      for (size_t s = 0; s < starts.size(); s += starts.size() / steps) out.push_back(starts[s]);
      return out;
    }
  return std::nullopt;
}

// The events of each instruction on each device, by start. What goes with another kernel of its instruction
// stands by itself.
std::vector<std::vector<size_t>> by_instruction(const Work& work) {
  std::map<std::tuple<std::string_view, int64_t, std::string_view, std::string_view>, int32_t> instructions;
  std::vector<int32_t> of_operation;
  for (const ProfiledOperation& o : work.operations) {
    const std::string_view kernel = o.part ? std::string_view(o.kernel) : std::string_view();
    const auto number = static_cast<int32_t>(instructions.size());
    of_operation.push_back(
        instructions.try_emplace({o.module, o.program, o.op, kernel}, number).first->second);
  }
  std::map<std::pair<int16_t, int32_t>, size_t> places;
  std::vector<std::vector<size_t>> out;
  for (size_t e = 0; e < work.events.size(); ++e) {
    const auto o = static_cast<size_t>(work.events[e].operation);
    if (work.operations[o].early) continue;
    const auto [place, is_new] = places.try_emplace({work.events[e].device, of_operation[o]}, out.size());
    if (is_new) out.emplace_back();
    out[place->second].push_back(e);
  }
  return out;
}

// Whether an instruction of any module is one of the steps: its turns go round with the main module's, where
// those of a preparation are all over before. Of a single step nothing tells but its mark.
bool goes_round(const Work& work, const std::vector<size_t>& turns, const Starts& starts, Picoseconds end,
                Picoseconds marked) {
  if (turns.size() % starts.size() != 0) return false;
  const Picoseconds first = work.events[turns.front()].start;
  if (starts.size() == 1) return first >= marked;
  const size_t each = turns.size() / starts.size();
  return first <= end && work.events[turns[turns.size() - each]].start >= starts.front();
}

// Each from where the first of its work begins to where that of the next one does, the last to where the last
// of its work ends; the work is that of all modules on all devices. `starts` are those of the main module:
// what a step runs earlier than its predecessor's begins no step.
std::vector<TimeRange> ranges_of(const Starts& starts, const Work& work, const MainModule& main,
                                 Picoseconds marked) {
  Picoseconds end = starts.back();
  for (const size_t e : main.events) end = std::max(end, work.events[e].end);
  Starts begins = starts;
  Picoseconds last = end;
  for (const std::vector<size_t>& turns : by_instruction(work)) {
    if (!goes_round(work, turns, starts, end, marked)) continue;
    for (size_t s = 0; s < starts.size(); ++s) {
      const Picoseconds start = work.events[turns[s * (turns.size() / starts.size())]].start;
      if (s == 0 || start > starts[s - 1]) begins[s] = std::min(begins[s], start);
    }
    for (const size_t e : turns) last = std::max(last, work.events[e].end);
  }
  std::vector<TimeRange> out;
  for (size_t s = 0; s < begins.size(); ++s)
    out.push_back({begins[s], s + 1 < begins.size() ? begins[s + 1] : last});
  return out;
}

}  // namespace

FoundSteps find_steps(const std::vector<ProfiledOperation>& operations,
                      const std::vector<MeasuredEvent>& events,
                      const std::map<std::string, std::vector<TimeRange>>& marks) {
  const Work work{operations, events};
  FoundSteps out;
  if (work.events.empty()) return out;
  const std::vector<TimeRange> marked = outermost(marks);
  const MainModule main = main_module(work);
  out.device = main.device;
  if (!marked.empty() && share_within(work, marked) >= kNearlyAll) {
    out.steps = marked;
    return out;
  }
  const auto wanted = marked.empty() ? std::nullopt : std::optional(marked.size());
  const auto starts = recurring(work, main, wanted);
  if (!starts || (marked.empty() && starts->size() < 2)) {
    out.steps = marked;
    return out;
  }
  out.steps = ranges_of(*starts, work, main, marked.empty() ? starts->front() : marked.front().start);
  out.note =
      marked.empty()
          ? fmt::format("no steps are marked: {} were found where the work comes again", out.steps.size())
          : fmt::format("the host ran ahead of its devices: its {} steps are where their work begins",
                        marked.size());
  return out;
}

}  // namespace shardscope::inline measure
