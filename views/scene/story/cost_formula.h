// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "views/scene/story/details.h"

namespace shardscope::inline views {

// A formula with its values put in, and what it comes to.
struct Formula {
  Picoseconds value = 0;
  std::vector<Fact> facts;  // the first is the formula, the others its parts with their constants' sources
};

// How long an event takes by the chip's formula for work of its kind, the one that the schedule was timed by.
// None: the time is made in another way, by a kernel or by waiting for a slower link.
std::optional<Formula> duration_formula(const ViewInput& input, const Event& event);
// That formula's facts, or the one fact that there is none.
std::vector<Fact> duration_facts(const ViewInput& input, const Event& event);
// From what its start follows: the end of its cause, and what comes on top.
std::optional<Formula> start_formula(const ViewInput& input, const Event& event);
// Of a transfer: what its collective takes from the first step to the last, where that is the sum of its
// steps.
std::optional<Formula> collective_formula(const ViewInput& input, int32_t number);

}  // namespace shardscope::inline views
