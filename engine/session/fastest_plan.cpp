// SPDX-License-Identifier: Apache-2.0
#include "engine/session/fastest_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/units.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostTimed = 64;  // of the plans of one problem, those that send the fewest bytes
constexpr size_t kListed = 8;

struct TimedProgram {
  Program program;
  Picoseconds total = 0;
  bool first = false;  // it sends the fewest bytes
};

// "gather W over row: 1.5 MiB": its steps, and what a device sends.
std::string plan_of(const TimedProgram& timed) {
  for (const auto& [key, value] : timed.program.choices)
    if (key == "plan") return value;
  return "";
}

std::string why_of(const std::vector<TimedProgram>& timed) {
  if (timed.size() == 1) return "the only plan";
  const TimedProgram& best = timed.front();
  const std::string out =
      fmt::format("the fastest of {} plans, {}", timed.size(), format_picoseconds(best.total));
  if (best.first) return out + "; none sends fewer bytes";
  const TimedProgram& first = *std::ranges::find_if(timed, &TimedProgram::first);
  return fmt::format("{}; the one that sends the fewest bytes ({}) takes {}", out, plan_of(first),
                     format_picoseconds(first.total));
}

void tell(std::vector<TimedProgram>& timed) {
  auto& choices = timed.front().program.choices;
  std::erase_if(choices, [](const auto& choice) { return choice.first == "alternative"; });
  for (auto& [key, value] : choices)
    if (key == "why") value = why_of(timed);
  for (size_t i = 1; i < timed.size() && i <= kListed; ++i)
    choices.emplace_back("alternative",
                         fmt::format("{}, {}", plan_of(timed[i]), format_picoseconds(timed[i].total)));
  if (timed.size() > kListed + 1)
    choices.emplace_back("alternative", fmt::format("{} more, from {} on", timed.size() - kListed - 1,
                                                    format_picoseconds(timed[kListed + 1].total)));
}

// None: this chip cannot time it.
Result<std::optional<Picoseconds>> time_of(const Plan& plan, const std::stop_token& stop) {
  ScheduleOptions totals;
  totals.keep_events = false;
  const Result<TimedPlan> timed = time_plan(plan, std::move(totals), stop);
  if (timed.ok()) return std::optional(timed->timeline.total);
  if (timed.error().kind == ErrorKind::cancelled) return timed.error();
  return std::optional<Picoseconds>();
}

}  // namespace

Result<Program> fastest_plan(Plan& plan, const StrategyOptions& options, const std::stop_token& stop) {
  TRY(std::vector<Program> programs,
      plan.strategy->alternatives(plan.request.mesh, plan.request.problem, options, kMostTimed, stop));
  Plan trial{plan.strategy, plan.request, plan.hardware, {}, FastestAlgorithms(&plan.fastest), {}};
  trial.request.experiment.overrides = {};
  std::vector<TimedProgram> timed;
  std::optional<Error> refused;  // what is asked of collectives need not be legal in every plan
  for (Program& program : programs) {
    auto resolved =
        resolve_collectives(std::move(program), plan.hardware, plan.request.collective, trial.fastest, stop);
    if (!resolved.ok() && resolved.error().kind == ErrorKind::cancelled) return resolved.error();
    if (!resolved.ok()) {
      if (!refused) refused = resolved.error();
      continue;
    }
    trial.program = *std::move(resolved);
    TRY(const auto total, programs.size() == 1 ? std::optional<Picoseconds>(0) : time_of(trial, stop));
    if (!total) return std::move(timed.empty() ? trial.program : timed.front().program);
    timed.push_back({std::move(trial.program), *total, timed.empty()});
  }
  if (timed.empty()) return *refused;
  plan.fastest.learn(std::move(trial.fastest));
  std::ranges::stable_sort(timed, {}, &TimedProgram::total);
  tell(timed);
  return std::move(timed.front().program);
}

}  // namespace shardscope::inline session
