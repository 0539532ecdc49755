// SPDX-License-Identifier: Apache-2.0
#include "engine/run/chosen_plan.h"

#include <fmt/format.h>

namespace shardscope::inline run {

std::string ChosenPlan::sentence() const {
  return fmt::format("It chose the plan \"{}\" a device: {}.", plan, why);
}

std::optional<ChosenPlan> chosen_plan(const Program& program) {
  ChosenPlan out;
  for (const auto& [key, value] : program.choices) {
    if (key == "plan") out.plan = value;
    if (key == "why") out.why = value;
  }
  return out.plan.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace shardscope::inline run
