// SPDX-License-Identifier: Apache-2.0
// A program that is run step by step, as a training loop runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline request {

// A result that is an argument of the next step, each by name or number: "result{1}" or "1", "w1" or "2".
struct CarriedResult {
  std::string result, argument;
  bool operator==(const CarriedResult&) const = default;
};

inline constexpr const char* kStepMarker = "step";
inline constexpr int64_t kMostLoopSteps = 100'000;

struct StepLoop {
  std::optional<int64_t> steps{};   // unset: it is run once, and no step is recorded
  std::optional<int64_t> warmup{};  // of the steps, or executions before the timed ones; unset: none
  std::string annotate;             // how steps are marked; "": kStepMarker
  std::vector<CarriedResult> carry;
  bool operator==(const StepLoop&) const = default;
};

// "1=w1,2=w2"; a comma within braces belongs to a name.
std::string to_text(const std::vector<CarriedResult>& value);
Result<void> from_text(std::string_view text, std::vector<CarriedResult>& out);

}  // namespace shardscope::inline request
