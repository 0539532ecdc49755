// SPDX-License-Identifier: Apache-2.0
// Points of a sweep that processes do together, as one tells the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/study/crossover.h"

namespace shardscope::inline session {

struct SharedPoints {
  std::vector<SweepPoint> points;
  std::optional<Error> refusal;  // of the first strategy that could not run
};

std::string text_of_points(const Result<std::vector<SweepPoint>>& points,
                           const std::optional<Error>& refusal);
// Errors: what kept the other from its points.
Result<SharedPoints> points_of_text(std::string_view text);

}  // namespace shardscope::inline session
