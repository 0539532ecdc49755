// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/run/run.h"
#include "engine/run/small_factors.h"

namespace shardscope::inline session {

// X and W of a run that were filled, not read from files. None: it multiplies no X by W, or too many
// elements.
std::optional<SmallFactors> small_factors(const Run& run);

}  // namespace shardscope::inline session
