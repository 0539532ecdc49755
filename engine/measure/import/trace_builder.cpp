// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/trace_builder.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

#include "engine/measure/import/attribution.h"
#include "engine/measure/import/find_steps.h"
#include "engine/measure/import/waiting.h"

namespace shardscope::inline measure {
namespace {

// The least number has no positive twin: std::abs cannot be asked.
bool within(int64_t value, int64_t limit) {
  return -limit <= value && value <= limit;
}

constexpr int64_t kLatestClock = 4'000'000'000'000'000'000;  // ns: the year 2096 since 1970
// A third of what there is, so that sums and differences of two times are times too: 35 days.
bool is_time(Picoseconds time) {
  return within(time, std::numeric_limits<int64_t>::max() / 3);
}
constexpr size_t kLongestName = 500;  // kernels' names have hundreds of characters of template arguments

std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "…";
}

Result<int16_t> number_of(std::unordered_map<std::string, int16_t>& names, const std::string& name,
                          const char* what) {
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  if (names.size() == TraceBuilder::kMostNames)
    return too_big(fmt::format("the profile has more than {} {}", TraceBuilder::kMostNames, what));
  const auto number = static_cast<int16_t>(names.size());
  names.emplace(name, number);
  return number;
}

std::string key_of(const ProfiledOperation& o) {
  return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", o.op,
                     name(o.kind), o.opcode, o.module, o.instruction, o.shapes, o.dtype, o.bytes, o.group,
                     o.matched, o.kernel, o.program, o.early);
}

void count_times(MeasuredOperation& operation, std::vector<Picoseconds>& times) {
  operation.count = static_cast<int64_t>(times.size());
  if (times.empty()) return;
  std::ranges::sort(times);
  double total = 0;
  for (const Picoseconds t : times) total += to_seconds(t);
  const auto at = [&](double share) {
    const auto place = static_cast<size_t>(std::ceil(share * static_cast<double>(times.size()))) - 1;
    return to_seconds(times[place]);
  };
  operation.total_s = total;
  operation.mean_s = total / static_cast<double>(times.size());
  operation.p50_s = at(0.5);
  operation.p95_s = at(0.95);
}

}  // namespace

void TraceBuilder::begin_file(std::string label) {
  file_label_ = std::move(label);
  first_event_of_file_ = trace_.events.size();
  first_step_of_file_ = steps_.size();
  first_worked_of_file_ = worked_.size();
}

Result<void> TraceBuilder::set_clock_start(int64_t ns) {
  if (!within(ns, kLatestClock)) return invalid("the clock's start is out of range");
  if (!clock_start_) clock_start_ = ns;
  const auto shift = checked_multiply(ns - *clock_start_, 1000);
  if (!shift || !is_time(*shift))
    return invalid("the clock starts more than a month from that of the other files");
  const auto move = [&](Picoseconds& time) {
    return is_time(time += *shift);
  };  // both are a third of what there is
  for (size_t i = first_event_of_file_; i < trace_.events.size(); ++i)
    if (!move(trace_.events[i].start) || !move(trace_.events[i].end))
      return invalid("a time is out of range");
  for (size_t i = first_step_of_file_; i < steps_.size(); ++i)
    if (!move(steps_[i].second.start) || !move(steps_[i].second.end))
      return invalid("a time is out of range");
  for (size_t i = first_worked_of_file_; i < worked_.size(); ++i)
    if (!move(worked_[i].second.start) || !move(worked_[i].second.end))
      return invalid("a time is out of range");
  return {};
}

Result<int16_t> TraceBuilder::device(const std::string& name) {
  const std::string full = shortened(file_label_.empty() ? name : file_label_ + " " + name);
  TRY(const int16_t number, number_of(devices_, full, "devices"));
  if (static_cast<size_t>(number) == trace_.device_names.size()) trace_.device_names.push_back(full);
  return number;
}

Result<int16_t> TraceBuilder::lane(const std::string& name, bool nests) {
  const std::string full = shortened(name);
  TRY(const int16_t number, number_of(lanes_, full, "lanes"));
  if (static_cast<size_t>(number) == trace_.lanes.size()) trace_.lanes.push_back(full);
  if (nests) nesting_lanes_.insert(number);
  return number;
}

Result<int64_t> TraceBuilder::members(const std::string& names) {
  if (names.empty()) return int64_t{0};
  TRY(const int16_t number, number_of(members_, names, "groups of devices"));
  return int64_t{number} + 1;
}

Result<int32_t> TraceBuilder::operation(const ProfiledOperation& facts) {
  const auto [place, is_new] = operations_.try_emplace(key_of(facts), static_cast<int32_t>(facts_.size()));
  if (!is_new) return place->second;
  if (facts_.size() == kMostOperations)
    return too_big(fmt::format("the profile has more than {} different operations", kMostOperations), "",
                   "profile fewer steps");
  ProfiledOperation& added = facts_.emplace_back(facts);
  for (std::string* text : {&added.op, &added.shapes, &added.kernel}) *text = shortened(*text);
  return place->second;
}

Result<TimeRange> TraceBuilder::range_of(ClockTime start, Picoseconds duration) {
  if (!within(start.ns, kLatestClock)) return invalid("a time is out of range");
  if (!clock_) clock_ = start.ns;
  const auto ps = checked_multiply(start.ns - *clock_, 1000);
  const auto begin = ps ? checked_add(*ps, start.ps) : std::nullopt;
  const auto end = begin ? checked_add(*begin, duration) : std::nullopt;
  if (!end || !is_time(*begin) || !is_time(*end))
    return invalid("a time is more than a month from the first one");
  return TimeRange{*begin, *end};
}

Result<void> TraceBuilder::add(ClockTime start, Picoseconds duration, MeasuredEvent event) {
  if (duration < 0) {
    ++negative_;
    return {};
  }
  if (trace_.events.size() == kMostEvents)
    return too_big(fmt::format("the profile has more than {} events on devices", group_digits(kMostEvents)),
                   "", "profile fewer steps");
  TRY(const TimeRange range, range_of(start, duration));
  event.start = range.start;
  event.end = range.end;
  trace_.events.push_back(event);
  return {};
}

Result<void> TraceBuilder::add_step(ClockTime start, Picoseconds duration, int16_t device) {
  if (duration < 0 || steps_.size() == kMostEvents) return {};
  TRY(const TimeRange range, range_of(start, duration));
  steps_.emplace_back(device, range);
  return {};
}

Result<void> TraceBuilder::add_worked(ClockTime start, Picoseconds duration, int16_t device) {
  TRY(const TimeRange range, range_of(start, duration));
  worked_.emplace_back(device, range);
  return {};
}

void TraceBuilder::add_annotated_step(const std::string& name, ClockTime start, Picoseconds duration) {
  const Result<TimeRange> range = range_of(start, duration);
  if (duration >= 0 && range.ok() && (annotated_.size() < kMostNames || annotated_.contains(name)))
    annotated_[name].push_back(*range);
}

Result<void> TraceBuilder::add_point(const MeasuredOperation& facts, Picoseconds time) {
  if (points_.size() == kMostEvents) return too_big("the file has too many measurements");
  TRY(const int32_t number, operation(facts));
  points_.emplace_back(number, std::max<Picoseconds>(time, 0));
  return {};
}

void TraceBuilder::note(const std::string& sentence) {
  if (std::ranges::find(trace_.notes, sentence) == trace_.notes.end()) trace_.notes.push_back(sentence);
}

TimeRange TraceBuilder::begin_at_first_step() {
  int16_t device = std::numeric_limits<int16_t>::max();
  for (const auto& [of, _] : steps_) device = std::min(device, of);
  for (const auto& [of, range] : steps_)
    if (of == device) trace_.steps.push_back(range);
  std::ranges::sort(trace_.steps);
  if (trace_.steps.empty() && trace_.events.empty()) return {};
  Picoseconds begin = trace_.steps.empty() ? trace_.events.front().start : trace_.steps.front().start;
  if (trace_.steps.empty())
    for (const MeasuredEvent& e : trace_.events) begin = std::min(begin, e.start);
  for (MeasuredEvent& e : trace_.events) e.start -= begin, e.end -= begin;
  for (TimeRange& step : trace_.steps) step = {step.start - begin, step.end - begin};
  if (trace_.steps.empty()) return {};
  TimeRange worked{trace_.steps.front().start, trace_.steps.back().end};
  for (const auto& [of, range] : worked_)
    if (of == device)
      worked = {std::min(worked.start, range.start - begin), std::max(worked.end, range.end - begin)};
  return worked;
}

void TraceBuilder::find_steps() {
  FoundSteps found = shardscope::find_steps(facts_, trace_.events, annotated_);
  if (!found.note.empty()) note(found.note);
  for (const TimeRange& step : found.steps) steps_.emplace_back(found.device, step);
}

void TraceBuilder::count() {
  std::vector<std::vector<Picoseconds>> times(trace_.operations.size());
  std::vector<Picoseconds> waits(trace_.operations.size());
  for (const MeasuredEvent& e : trace_.events) {
    times[static_cast<size_t>(e.operation)].push_back(e.duration() - e.wait);
    waits[static_cast<size_t>(e.operation)] += e.wait;
  }
  for (const auto& [number, time] : points_) times[static_cast<size_t>(number)].push_back(time);
  double matched = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    MeasuredOperation& o = trace_.operations[i];
    count_times(o, times[i]);
    o.wait_s = to_seconds(waits[i]);
    trace_.device_time_s += o.total_s + o.wait_s;
    if (o.matched) matched += o.total_s + o.wait_s;
  }
  if (trace_.device_time_s > 0) trace_.matched_share = std::min(1.0, matched / trace_.device_time_s);
  trace_.unmatched = unmatched_of(trace_.operations);
  trace_.devices = static_cast<int32_t>(trace_.device_names.size());
  trace_.event_count = static_cast<int64_t>(trace_.events.size());
}

Result<Profile> TraceBuilder::finish(Modules& modules, const std::stop_token& stop) {
  split_enclosing(nesting_lanes_, trace_.events);
  std::ranges::stable_sort(trace_.events, [](const MeasuredEvent& a, const MeasuredEvent& b) {
    return std::tuple(a.start, a.device, a.lane) < std::tuple(b.start, b.device, b.lane);
  });
  TRY_VOID(attribute_kernels(modules, facts_, trace_.events, stop));
  mark_parts(facts_, trace_.events);
  if (steps_.empty()) find_steps();
  const TimeRange worked = begin_at_first_step();
  trace_.operations.assign(facts_.begin(), facts_.end());
  const auto [alone, assumed] = split_waiting(facts_, device_numbers(trace_.device_names), trace_.events);
  if (assumed > 0)
    note(
        fmt::format("which devices belong together in a collective is not said: {} events that overlap on "
                    "all devices each "
                    "time are taken as of one group",
                    group_digits(assumed)));
  if (alone > 0)
    note(fmt::format(
        "{} events of collectives keep their waiting in their time: which devices belong together is not "
        "said, or the devices' clocks do not agree",
        group_digits(alone)));
  if (negative_ > 0)
    note(fmt::format("{} events of a negative duration are left out", group_digits(negative_)));
  count();
  return Profile{std::move(trace_), std::move(facts_), {}, {}, worked};
}

}  // namespace shardscope::inline measure
