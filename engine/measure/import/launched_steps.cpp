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

bool LaunchedSteps::run(int64_t correlation, ClockTime start, Picoseconds duration) {
  const auto launch =
      std::ranges::lower_bound(launches_, correlation, {}, &std::pair<int64_t, ClockTime>::first);
  if (launch == launches_.end() || launch->first != correlation) return launches_.empty();
  auto step = std::ranges::upper_bound(steps_, launch->second, before, &Step::start);
  if (step == steps_.begin()) return true;
  --step;
  if (before(after(step->start, step->duration), launch->second)) return true;
  const ClockTime end = after(start, duration);
  if (!step->first || before(start, *step->first)) step->first = start;
  if (!step->last || before(*step->last, end)) step->last = end;
  return true;
}

Result<void> LaunchedSteps::finish(int16_t device, TraceBuilder& builder) const {
  const bool ran = std::ranges::any_of(steps_, [](const Step& step) { return step.first.has_value(); });
  // A step that launches nothing takes no time of the device.
  std::optional<ClockTime> next;
  for (size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    if (!ran) {
      TRY_VOID(builder.add_step(step.start, step.duration, device));
      continue;
    }
    if (!step.first && !next) continue;
    const ClockTime start = step.first ? *step.first : *next;
    const ClockTime end = next ? *next : *step.last;
    if (const auto ns = checked_multiply(end.ns - start.ns, 1000))
      TRY_VOID(builder.add_step(start, *ns + end.ps - start.ps, device));
    next = start;
  }
  return {};
}

}  // namespace shardscope::inline measure
