// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/launched_steps.h"

#include <algorithm>

namespace shardscope::inline measure {
namespace {

constexpr size_t kMost = 16'000'000;  // launches
constexpr size_t kMostMarks = 1'000'000;
constexpr std::string_view kProfilerStep = "ProfilerStep";

// "ProfilerStep" of "ProfilerStep#3"; empty: it has no number.
std::string_view without_number(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return {};
  name = name.substr(0, end + 1);
  const size_t last = name.find_last_not_of("# :_");
  return name.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

ClockTime after(ClockTime start, Picoseconds duration) {
  return {start.ns, start.ps + std::max<Picoseconds>(0, duration)};
}
// 0 where it is too long to be a time: the builder refuses such clocks.
Picoseconds between(ClockTime start, ClockTime end) {
  const auto ns = checked_multiply(end.ns - start.ns, 1000);
  return ns ? *ns + end.ps - start.ps : 0;
}
bool before(ClockTime a, ClockTime b) {
  const auto whole = [](ClockTime t) { return std::pair(t.ns + t.ps / 1000, t.ps % 1000); };
  return whole(a) < whole(b);
}

}  // namespace

void LaunchedSteps::mark(std::string_view name, ClockTime start, Picoseconds duration) {
  const std::string_view stem = without_number(name);
  if (stem.empty() || duration < 0 || marks_.size() >= kMostMarks) return;
  std::vector<Step>& of = marks_[std::string(stem)];
  if (of.size() < kMostMarks) of.push_back({start, duration, {}, {}});
}

void LaunchedSteps::launch(int64_t correlation, ClockTime at) {
  if (launches_.size() < kMost) launches_.emplace_back(correlation, at);
}

// PyTorch's own steps, else the marks that lie round the most time.
void LaunchedSteps::learned() {
  double longest = -1;
  for (auto& [name, of] : marks_) {
    double length = name == kProfilerStep ? 1e30 : 0;
    for (const Step& step : of) length += static_cast<double>(step.duration);
    if (length <= longest) continue;
    longest = length;
    steps_ = of;
  }
  std::ranges::sort(steps_, before, &Step::start);
  std::ranges::sort(launches_, {}, &std::pair<int64_t, ClockTime>::first);
}

bool LaunchedSteps::run(int64_t correlation, ClockTime start, Picoseconds duration, int16_t lane) {
  const auto launch =
      std::ranges::lower_bound(launches_, correlation, {}, &std::pair<int64_t, ClockTime>::first);
  const bool known = launch != launches_.end() && launch->first == correlation;
  if (!known && launches_.empty()) return true;
  const Ran ran{start, after(start, duration)};
  auto step = known ? std::ranges::upper_bound(steps_, launch->second, before, &Step::start) : steps_.begin();
  if (step == steps_.begin()) {
    if (lanes_[lane].before.size() < kMost) lanes_[lane].before.push_back(ran);
    return known && steps_.empty();
  }
  --step;
  if (before(after(step->start, step->duration), launch->second)) return true;
  if (!step->ran) step->ran = ran;
  if (before(start, step->ran->start)) step->ran->start = start;
  if (before(step->ran->end, ran.end)) step->ran->end = ran.end;
  const auto [begin, is_first] = step->begin.try_emplace(lane, start);
  if (!is_first && before(start, begin->second)) begin->second = start;
  lanes_[lane].busy += static_cast<double>(duration);
  return true;
}

int16_t LaunchedSteps::busiest_lane() const {
  return std::ranges::max_element(lanes_, {}, [](const auto& lane) { return lane.second.busy; })->first;
}

// A lane runs in the order of its launches: what was launched before the steps and runs behind one of their
// kernels only lost its launch.
ClockTime LaunchedSteps::begin(const Ran& all) const {
  ClockTime out = all.start;
  for (const auto& [number, lane] : lanes_) {
    std::optional<ClockTime> first;
    for (const Step& step : steps_)
      if (const auto found = step.begin.find(number); found != step.begin.end())
        if (!first || before(found->second, *first)) first = found->second;
    for (const Ran& ran : lane.before)
      if (first && before(ran.start, *first) && before(out, ran.end)) out = ran.end;
  }
  return before(all.end, out) ? all.end : out;
}

Result<void> LaunchedSteps::finish(int16_t device, TraceBuilder& builder) const {
  std::optional<Ran> all;
  for (const Step& step : steps_) {
    if (!step.ran) continue;
    if (!all) all = step.ran;
    if (before(step.ran->start, all->start)) all->start = step.ran->start;
    if (before(all->end, step.ran->end)) all->end = step.ran->end;
  }
  if (!all) {
    for (const Step& step : steps_) TRY_VOID(builder.add_step(step.start, step.duration, device));
    return {};
  }
  const ClockTime first = begin(*all);
  if (before(all->start, first))
    builder.note(
        "the devices had work from before the first step when it began: the steps are counted from where "
        "that "
        "was done, and instructions by what the steps launched");
  TRY_VOID(builder.add_worked(all->start, between(all->start, all->end), device));
  const int16_t lane = busiest_lane();
  ClockTime next = all->end;
  const auto begun = std::ranges::find_if(steps_, [](const Step& step) { return step.ran.has_value(); });
  bool ends = false;  // a step that launches nothing takes no time of the device
  for (size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    if (!step.ran && !ends) continue;
    ends = true;
    const auto on_lane = step.begin.find(lane);
    ClockTime start = on_lane != step.begin.end() ? on_lane->second : step.ran ? step.ran->start : next;
    if (&step == &*begun || before(start, first)) start = first;
    if (before(next, start)) start = next;
    TRY_VOID(builder.add_step(start, between(start, next), device));
    next = start;
  }
  return {};
}

}  // namespace shardscope::inline measure
