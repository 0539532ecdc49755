// SPDX-License-Identifier: Apache-2.0
// A question of several fields, of which some may be wrong: the others are asked all the same.
#pragma once

#include <span>

#include "engine/session/what_if.h"

namespace shardscope::inline session {

struct AskedParts {
  WhatIf asked;                               // by those parts that can be
  std::vector<std::optional<Error>> refused;  // by part: why it cannot
};
// Parts that can be asked alone can be asked together. Errors: it was stopped.
Result<AskedParts> asked_by(const WhatIfBase& base, std::span<const TypedWhatIf> parts, std::stop_token stop);

}  // namespace shardscope::inline session
