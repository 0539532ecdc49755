// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/program/ir/program.h"

namespace shardscope::inline run {

// What a strategy with several plans chose, as its program's choices say it.
struct ChosenPlan {
  std::string plan;  // "gather X over col, gather W over row: 10.5 MiB"
  std::string why;   // "the fastest of 16 plans, 189 µs; …"
  std::string sentence() const;
};
std::optional<ChosenPlan> chosen_plan(const Program& program);

}  // namespace shardscope::inline run
