// SPDX-License-Identifier: Apache-2.0
// What a program leaves open and its time depends on, as its user says it. A name is an instruction's
// or, of a custom-call, its target; none stands for all that are not named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/compile_as.h"
#include "engine/base/result.h"
#include "engine/program/ir/instruction.h"

namespace shardscope::inline request {

// Which branch a conditional takes: its number from 0, "true", "false" or its computation's name.
struct TakenBranch {
  std::string name, branch;
  bool operator==(const TakenBranch&) const = default;
};

struct TripCount {
  std::string name;
  int64_t rounds = 1;
  bool operator==(const TripCount&) const = default;
};

// What a custom-call does: flops and bytes; seconds where its time is known.
struct CustomCallCost {
  std::string name;
  double flops = 0;
  int64_t bytes = 0;
  std::optional<double> seconds{};
  bool operator==(const CustomCallCost&) const = default;
};

struct ModuleTiming {
  std::vector<TakenBranch> take{};
  std::vector<TripCount> trip_counts{};
  std::vector<CustomCallCost> custom_calls{};
  std::optional<CompileAs> compile_as{};  // unset: compiler_of the chip
  bool operator==(const ModuleTiming&) const = default;
};

// Null: nobody said one.
const TakenBranch* find_branch(const ModuleTiming& timing, std::string_view conditional);
const TripCount* find_trip_count(const ModuleTiming& timing, std::string_view loop);
const CustomCallCost* find_custom_call(const ModuleTiming& timing, const Instruction& call);

// "conditional.3=2,true", "while.1=126,4", "flash=1e12,3e9,foo=0,0,0.002", as their text reads.
std::string to_text(const std::vector<TakenBranch>& value);
std::string to_text(const std::vector<TripCount>& value);
std::string to_text(const std::vector<CustomCallCost>& value);
Result<void> from_text(std::string_view text, std::vector<TakenBranch>& out);
Result<void> from_text(std::string_view text, std::vector<TripCount>& out);
Result<void> from_text(std::string_view text, std::vector<CustomCallCost>& out);

}  // namespace shardscope::inline request
