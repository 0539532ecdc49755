// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/session/proof/size_classes.h"

namespace shardscope::inline session {

// A smaller size for every class (by its representative; others' entries mean nothing), such that all that
// belongs together still does. A size leaves the same remainder by `period` as before and is no smaller than
// `least` where it was not before; classes for which nothing smaller fits keep theirs. `period`: a multiple
// of all the numbers that dimensions are split by. `ordered`: what is larger stays larger.
struct SizeWishes {
  int64_t period = 1, least = 1;
  bool ordered = true;
};
std::vector<int64_t> small_sizes(const SizeClasses& classes, const SizeWishes& wishes);

}  // namespace shardscope::inline session
