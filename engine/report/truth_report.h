// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/study/truth.h"

namespace shardscope::inline report {

// {points: [{id, chip, kind, measured_s, predicted_s, fitted}], groups: [{chip, kind, n, mean_error, …}]}.
std::string truth_json(const Truth& truth);
// Groups, a row each; what nothing is predicted of.
std::string truth_text(const Truth& truth);
// Groups and points, as one page.
std::string truth_page(const Truth& truth);

}  // namespace shardscope::inline report
